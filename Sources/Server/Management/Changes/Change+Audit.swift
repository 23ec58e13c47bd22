import Foundation
import InputBounds

extension Change {
    /// What an entry's subject names.
    private enum Subject {
        case app
        /// An app, a slash, and something of it.
        case appThing
        case group
        /// A group, a slash, and an app.
        case assignment
        /// A group, a slash, and a setting by its kind and name.
        case settingAssignment
        case device
        /// Something that is neither.
        case name
    }

    /// What an entry of the audit log tells those who may not read the log: its kind and names.
    package init(_ entry: AuditEntry) {
        let action = AuditEntry.Action(rawValue: entry.action)
        let (permission, subject) = action.map(Self.reading) ?? (.audit, .name)
        self.init(kind: entry.action, time: entry.time, permission: permission)
        sequence = entry.sequence
        actor = entry.actor
        concernsAccess = action.map(Self.concernsAccess) ?? true
        name(entry.subject, as: subject)
        let details = try? JSONValue(parsing: Data(entry.details.utf8), limits: Self.details)
        if app == nil { app = details?["app"]?.string }
        if group == nil { group = details?["group"]?.string }
        if device == nil { device = details?["device"]?.string }
        if name == nil { name = details?["configuration"]?.string }
        if action == .replaceDevice { name = details?["certificate"]?.string }
        version = details?["version"]?.int
        if device == nil, entry.actor.hasPrefix("device:") { device = String(entry.actor.dropFirst(7)) }
    }

    /// An entry's details are a few names and numbers.
    private static let details = InputLimits(bytes: 65_536, objects: 1_000)

    private mutating func name(_ text: String, as subject: Subject) {
        switch subject {
        case .app: app = text
        case .group: group = text
        case .device: device = text
        case .name: name = text
        case .appThing:
            // A bundle identifier has no slash; a name may have.
            let parts = text.split(separator: "/", maxSplits: 1)
            app = parts.first.map(String.init)
            name = parts.count == 2 ? String(parts[1]) : nil
        case .assignment:
            let slash = text.lastIndex(of: "/") ?? text.endIndex
            group = String(text[..<slash])
            app = String(text[slash...].dropFirst())
        case .settingAssignment:
            let parts = text.split(separator: "/", maxSplits: 1)
            group = parts.first.map(String.init)
            name = parts.count == 2 ? String(parts[1]) : nil
        }
    }

    /// The permission to see an action, and the kind of its subject: the same permission as for the action's operation
    /// of the API.
    private static func reading(_ action: AuditEntry.Action) -> (Permission, Subject) {
        switch action {
        case .setApp, .requestUpdateCheck, .removeApp: (.look, .app)
        case .setAppSource, .removeAppSource, .addPackage, .removePackage, .setSpecification, .removeSpecification:
            (.look, .appThing)
        case .addTeam, .removeTeam: (.look, .name)
        case .createGroup, .removeGroup, .setGroupRule, .removeGroupRule: (.look, .group)
        case .setConfiguration, .revertConfiguration, .removeConfiguration: (.lookInside, .appThing)
        case .tryConfiguration, .measureFeedback: (.lookInside, .app)
        case .setAssignment, .removeAssignment: (.look, .assignment)
        case .setSetting, .removeSetting: (.lookInside, .name)
        case .assignSetting, .unassignSetting: (.look, .settingAssignment)
        case .setSecret, .setSecretValues, .removeSecret, .forgetSecret: (.lookInside, .name)
        case .assignSecret, .unassignSecret: (.look, .name)
        case .releaseSecret, .issueIdentity, .revokeIdentity: (.audit, .name)
        case .createEnrollmentCode, .revokeEnrollmentCode, .invitePerson, .uninvitePerson, .signIn, .expectDevice,
            .unexpectDevice, .setPerson, .removePerson:
            (.look, .name)
        case .attestDevice, .renewDevice, .lapseDevice, .readmitDevice, .enrollDevice, .replaceDevice,
            .refuseEnrollment, .signInDevice, .signOutDevice, .checkOutDevice,
            .keepEscrow, .giveEscrow, .removeEscrow,
            .withdrawDevice, .addDeviceToGroup, .removeDeviceFromGroup, .setDevicePerson, .removeDevicePerson,
            .setDeviceAttributes,
            .queueCommand, .removeCommand, .retireCommand, .retirePushToken,
            .alertRefused, .alertFailed, .alertWithheld, .alertUnseen:
            (.look, .device)
        case .createAdministrator, .setAdministrator, .removeAdministrator, .shutOut, .resetPassword, .changePassword,
            .openSession, .refuseSession, .closeSession, .closeSessions, .createToken, .revokeToken, .addWebhook,
            .setWebhook,
            .removeWebhook, .rotateWebhookSecret, .forgetWebhookSecret, .disableWebhook, .redeliverToWebhook,
            .cancelJob, .replaceMasterKey, .forgetMasterKey, .pruneAudit, .restoreStore, .setPushCredential,
            .removePushCredential, .warnOfPushEnd, .forgetEscrow:
            (.audit, .name)
        }
    }

    private static func concernsAccess(_ action: AuditEntry.Action) -> Bool {
        switch action {
        case .createAdministrator, .setAdministrator, .removeAdministrator, .shutOut, .resetPassword, .changePassword,
            .openSession, .closeSession, .closeSessions, .revokeToken:
            true
        default: false
        }
    }
}
