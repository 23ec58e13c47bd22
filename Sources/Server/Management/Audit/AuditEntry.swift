import Crypto
package import Foundation

/// One line of the audit log: who did what to what, chained to the line before by its digest.
package struct AuditEntry: Sendable, Equatable {
    /// What was done.
    package enum Action: String, Sendable, CaseIterable {
        case setApp = "app.set"
        /// Devices were made to look for an update of an app.
        case requestUpdateCheck = "app.update-check"
        case removeApp = "app.remove"
        /// An administrator changed which numbers of an app's feedback are measured.
        case measureFeedback = "app.feedback-metrics.set"
        case setAppSource = "app.source.set"
        case removeAppSource = "app.source.remove"
        case addPackage = "app.package.add"
        case removePackage = "app.package.remove"
        case setSpecification = "specification.set"
        case removeSpecification = "specification.remove"
        case addTeam = "team.add"
        case removeTeam = "team.remove"
        case createGroup = "group.create"
        case removeGroup = "group.remove"
        case setGroupRule = "group.rule.set"
        case removeGroupRule = "group.rule.remove"
        case setConfiguration = "configuration.set"
        case revertConfiguration = "configuration.revert"
        case removeConfiguration = "configuration.remove"
        /// An app on a device was made to decode a configuration that it does not have; what is in it is not told.
        case tryConfiguration = "configuration.try"
        case setAssignment = "assignment.set"
        case removeAssignment = "assignment.remove"
        /// A setting, such as a root certificate, was given a payload.
        case setSetting = "setting.set"
        case removeSetting = "setting.remove"
        case assignSetting = "setting.assign"
        case unassignSetting = "setting.unassign"
        case setSecret = "secret.set"
        /// Single devices were given values of their own.
        case setSecretValues = "secret.values.set"
        case removeSecret = "secret.remove"
        /// The operator went on without the value, whose master key is lost.
        case forgetSecret = "secret.forget"
        case assignSecret = "secret.assign"
        case unassignSecret = "secret.unassign"
        /// A device was given the value.
        case releaseSecret = "secret.release"
        /// A device was given a certificate for a secret, by this server's own authority.
        case issueIdentity = "identity.issue"
        /// A certificate that was issued for a secret counts no more.
        case revokeIdentity = "identity.revoke"
        /// A device's chip proved that it holds the key by which it vouches for others.
        case attestDevice = "device.attest"
        case createEnrollmentCode = "enrollment-code.create"
        case revokeEnrollmentCode = "enrollment-code.revoke"
        /// A person may enroll a device of their own.
        case invitePerson = "person.invite"
        case uninvitePerson = "person.uninvite"
        /// A person signed in to enroll.
        case signIn = "person.sign-in"
        /// A device with this serial number may enroll once.
        case expectDevice = "device.expect"
        case unexpectDevice = "device.unexpect"
        /// A device went over to another identity; the one before is worth nothing from then on.
        case renewDevice = "device.renew"
        /// A device's identity ended and was not renewed in time: it must be enrolled anew.
        case lapseDevice = "device.lapse"
        /// A device was let in by an identity that it had renewed and a restore lost the record of.
        case readmitDevice = "device.readmit"
        /// A device left a token to have it kept: its bootstrap token, or the one that unlocks it.
        case keepEscrow = "device.escrow.keep"
        /// A device was given a token that it had left.
        case giveEscrow = "device.escrow.give"
        /// A device took a token back.
        case removeEscrow = "device.escrow.remove"
        /// The operator went on without the tokens of devices that were under a master key that is lost.
        case forgetEscrow = "escrow.forget"
        /// A device came in by a code.
        case enrollDevice = "device.enroll"
        /// A new enrollment took the place of one that was alive.
        case replaceDevice = "device.replace"
        /// Another machine asked to be enrolled as this device, and was refused.
        case refuseEnrollment = "device.enroll-refuse"
        /// The person of a device that came by an account signed in again.
        case signInDevice = "device.sign-in"
        /// That person has to sign in again.
        case signOutDevice = "device.sign-out"
        /// A device left by itself.
        case checkOutDevice = "device.check-out"
        case withdrawDevice = "device.withdraw"
        case addDeviceToGroup = "device.group.add"
        case removeDeviceFromGroup = "device.group.remove"
        case setDevicePerson = "device.person.set"
        case removeDevicePerson = "device.person.remove"
        /// What administrators say of a device was changed; the log names the attributes, not what they say.
        case setDeviceAttributes = "device.attributes.set"
        case setPerson = "person.set"
        case removePerson = "person.remove"
        /// A command was queued for a device; what is in it is not told.
        case queueCommand = "command.queue"
        case removeCommand = "command.remove"
        /// A backup was put back in which the command was unfinished: it is not sent again.
        case retireCommand = "command.retire"
        case createAdministrator = "administrator.create"
        /// What an administrator may do was changed.
        case setAdministrator = "administrator.set"
        case removeAdministrator = "administrator.remove"
        /// The organization's sign-in gives somebody no role any more: their sessions and API tokens ended.
        case shutOut = "administrator.shut-out"
        case resetPassword = "administrator.password.reset"
        case changePassword = "administrator.password.change"
        case openSession = "session.open"
        /// Somebody tried to sign in as an administrator and had the wrong password; how often, in about a minute.
        case refuseSession = "session.refuse"
        case closeSession = "session.close"
        /// An administrator ended their other sessions.
        case closeSessions = "session.close-others"
        /// An administrator made an API token for a program; what it may do, until when.
        case createToken = "token.create"
        case revokeToken = "token.revoke"
        case addWebhook = "webhook.add"
        /// The address or the events of a webhook were changed, or it was enabled or disabled.
        case setWebhook = "webhook.set"
        case removeWebhook = "webhook.remove"
        case rotateWebhookSecret = "webhook.secret.rotate"
        /// The operator went on without it, as its master key is lost.
        case forgetWebhookSecret = "webhook.secret.forget"
        /// The server gave a webhook up.
        case disableWebhook = "webhook.disable"
        /// An administrator had an entry sent to a webhook once more.
        case redeliverToWebhook = "webhook.redeliver"
        /// An administrator ended a job before its time.
        case cancelJob = "job.cancel"
        case replaceMasterKey = "master-key.replace"
        /// The operator gave a master key up that is lost, with everything under it.
        case forgetMasterKey = "master-key.forget"
        /// A certificate or key by which Apple devices are woken took the place of the one before, if any.
        case setPushCredential = "push-credential.set"
        case removePushCredential = "push-credential.remove"
        /// The push certificate ends in 60, 30 or 7 days, or has ended.
        case warnOfPushEnd = "push-credential.ending"
        /// Apple's push service refused the token of a device for good.
        case retirePushToken = "device.push.retire"
        /// An app on a device began to refuse its configuration, or the device cannot apply it.
        case alertRefused = "alert.refused"
        /// A device could not install or update an app.
        case alertFailed = "alert.failed"
        /// An app on a device does not have a secret that it was given.
        case alertWithheld = "alert.withheld"
        /// A device was last seen before yesterday began.
        case alertUnseen = "alert.unseen"
        /// The oldest entries had their time; this one says up to where, and with which hash they ended.
        case pruneAudit = "audit.prune"
        /// The operator put a copy of the store back: what was done after it was made is lost.
        case restoreStore = "store.restore"

        /// Whether it records the beginning of a problem, not what somebody did.
        package var isAlert: Bool {
            [.alertRefused, .alertFailed, .alertWithheld, .alertUnseen].contains(self)
        }
    }

    /// Counts from one, without gaps.
    package let sequence: Int
    package let time: Date
    /// `administrator:<name>`, `device:<enrollment>`, `operator`, or `server` for what it does by itself.
    package let actor: String
    /// The text of an `Action`.
    package let action: String
    /// What it was done to: a name, or names joined by slashes.
    package let subject: String
    /// A JSON object without white space, its keys sorted.
    package let details: String
    package let hash: Data

    package init(
        sequence: Int, time: Date, actor: String, action: String, subject: String, details: String, hash: Data
    ) {
        self.sequence = sequence
        self.time = time
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
        self.hash = hash
    }

    /// The entry that follows another one, or the first.
    package init(
        after previous: (sequence: Int, hash: Data)?, time: Date, actor: String, action: Action, subject: String,
        details: String
    ) {
        let unhashed = AuditEntry(
            sequence: (previous?.sequence ?? 0) + 1, time: time, actor: actor, action: action.rawValue,
            subject: subject, details: details, hash: Data())
        self.init(
            sequence: unhashed.sequence, time: time, actor: actor, action: action.rawValue, subject: subject,
            details: details, hash: unhashed.digest(after: previous?.hash ?? Self.beginning))
    }

    /// What stands before the first entry.
    package static let beginning = Data(count: 32)

    /// SHA-256 over the digest of the entry before and every part of this one, each preceded by its length.
    package func digest(after previous: Data) -> Data {
        var hash = SHA256()
        let seconds = Int64(time.timeIntervalSince1970.rounded(.down))
        for part in [
            previous, Data("\(sequence)".utf8), Data("\(seconds)".utf8), Data(actor.utf8), Data(action.utf8),
            Data(subject.utf8), Data(details.utf8),
        ] {
            hash.update(data: Data("\(part.count):".utf8))
            hash.update(data: part)
        }
        return Data(hash.finalize())
    }
}
