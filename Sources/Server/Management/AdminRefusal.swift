package import InputBounds

/// Why an administrator's request is refused.
///
/// Reasons name the rule and never repeat the input.
package enum AdminRefusal: Error, Sendable, Equatable {
    case unknownGroup
    case unknownApp
    case unknownConfiguration
    case unknownVersion
    case unknownAssignment
    case unknownEnrollmentCode
    case unknownDevice
    case unknownCommand
    case unknownSecret
    case unknownSecretAssignment
    case unknownPerson
    case unknownAppSource
    case unknownPackage
    case unknownTeam
    case unknownInvitation
    case unknownExpectedDevice
    case unknownSpecification
    case unknownAdministrator
    case unknownToken
    case unknownWebhook
    /// The audit log has no such entry, or has it no more.
    case unknownEntry
    case unknownJob
    case unknownPushCredential
    case unknownSetting
    case unknownSettingKind
    case unknownSettingAssignment
    /// More of these cannot wait at a time.
    case tooManyWaiting(limit: Int)
    case nameTaken
    /// The group has a rule, so its members cannot be set by hand.
    case groupHasRule
    /// Something still uses it; the text says what kind of thing.
    case inUse(String)
    /// The version is no longer the one the administrator saw; the present one, if there is any.
    case versionMoved(current: Int?)
    case invalid(rule: String)
    /// The newest version of the app, or one on devices concerned, would refuse the configuration, or values of it look
    /// like secrets and it is delivered as a defaults dictionary.
    case violations([ConfigurationViolation])
    /// No version of the app asks for such a secret in this place.
    case secretNotAsked(SecretMismatch)
    /// A table breaks a rule in a place.
    case table(CSVRefusal)
    case tooLarge(limit: Int)
    case queueFull(limit: Int)
    /// The server has no directory for packages.
    case hostsNoPackages
    /// There is no room for the package.
    case noSpace(PackageRoom)
    /// The upload goes on from another place than the piece begins.
    case uploadElsewhere(received: Int)
    case deviceWithdrawn
    /// Nobody would be left who may do everything.
    case lastAdministrator
    /// A device that is let in there is given a secret, and who asks may not give secrets.
    case groupGivesSecrets

    /// How a caller may treat the refusal without knowing each case.
    package enum Kind: Sendable, Equatable {
        case missing
        case conflict
        case precondition
        case invalid
        case tooLarge
        case full
        case forbidden
    }

    package var kind: Kind {
        switch self {
        case .unknownGroup, .unknownApp, .unknownConfiguration, .unknownVersion, .unknownAssignment,
            .unknownEnrollmentCode, .unknownDevice, .unknownCommand, .unknownSecret, .unknownSecretAssignment,
            .unknownPerson, .unknownAppSource, .unknownPackage, .unknownTeam, .unknownInvitation,
            .unknownExpectedDevice, .unknownSpecification, .unknownAdministrator, .unknownToken,
            .unknownWebhook, .unknownEntry, .unknownJob, .unknownPushCredential, .unknownSetting,
            .unknownSettingKind, .unknownSettingAssignment:
            .missing
        case .nameTaken, .groupHasRule, .inUse, .queueFull, .deviceWithdrawn, .hostsNoPackages,
            .uploadElsewhere, .lastAdministrator, .tooManyWaiting:
            .conflict
        case .noSpace: .full
        case .groupGivesSecrets: .forbidden
        case .versionMoved: .precondition
        case .invalid, .table, .violations, .secretNotAsked: .invalid
        case .tooLarge: .tooLarge
        }
    }

    package var reason: String {
        switch self {
        case .unknownGroup: "There is no such group."
        case .unknownApp: "There is no such app."
        case .unknownConfiguration: "The app has no such configuration."
        case .unknownVersion: "The configuration has no such version."
        case .unknownAssignment: "The app is not assigned to the group."
        case .unknownEnrollmentCode: "There is no such enrollment code."
        case .unknownDevice: "There is no such device."
        case .unknownCommand: "The device has no such command."
        case .unknownSecret: "There is no such secret."
        case .unknownSecretAssignment: "No secret is assigned there."
        case .unknownPerson: "There is no such person."
        case .unknownAppSource: "The app has no such source."
        case .unknownPackage: "The app has no such package."
        case .unknownTeam: "There is no such team certificate."
        case .unknownInvitation: "The person is not invited."
        case .unknownSpecification: "The app has no specification of this version."
        case .unknownAdministrator: "There is no such administrator."
        case .unknownToken: "There is no such API token."
        case .unknownWebhook: "There is no such webhook."
        case .unknownEntry: "The audit log has no such entry."
        case .unknownJob: "There is no such job."
        case .unknownPushCredential: "This server has no push credential."
        case .unknownSetting: "There is no such setting of this kind."
        case .unknownSettingKind:
            "There is no such kind of setting. The kinds are: \(SettingKind.all.map(\.name).joined(separator: ", "))."
        case .unknownSettingAssignment: "The setting is not assigned to the group."
        case .tooManyWaiting(let limit): "At most \(limit) of these wait at a time: try again later."
        case .lastAdministrator: "At least one administrator must keep the right to do everything."
        case .groupGivesSecrets:
            "This group gives its devices a secret, or a group does whose rule the device may come to meet: only an "
                + "administrator can let devices in."
        case .unknownExpectedDevice: "No device with this serial number is expected."
        case .nameTaken: "The name is already taken."
        case .groupHasRule:
            "The group has a rule that says which devices are in it: you cannot add or remove devices by hand."
        case .inUse(let user): "It is still used by \(user)."
        case .versionMoved(.some(let current)): "It has moved on to version \(current)."
        case .versionMoved(nil): "It does not exist in the expected version."
        case .invalid(let rule): rule
        case .violations(let findings): findings.reason
        case .secretNotAsked: "The app does not ask for this secret."
        case .table(let refusal): "The table is refused, \(refusal)."
        case .tooLarge(let limit): "It is larger than the limit of \(limit) bytes."
        case .queueFull(let limit): "The device already has \(limit) unfinished commands."
        case .hostsNoPackages: "This server hosts no packages."
        case .noSpace(let room): "There is no room for the package on the server: \(room)."
        case .uploadElsewhere(let received): "The upload goes on at byte \(received)."
        case .deviceWithdrawn: "The enrollment of the device was withdrawn."
        }
    }

    /// What else operators get, who may know what the server's disk has.
    package var operatorDetail: String? {
        if case .noSpace(let room) = self { room.detail } else { nil }
    }
}
