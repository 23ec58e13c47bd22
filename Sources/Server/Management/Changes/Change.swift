package import Foundation

/// Something that changed, as administrators hear of it: what, when, and the names of what it is about.
///
/// It has no values: not of a configuration, not of a secret, not of a report. A listener that needs them asks for
/// them, and its rights are checked then.
package struct Change: Sendable, Equatable {
    /// What devices do that is in no audit log, because it would be most of it.
    package enum DeviceKind: String, Sendable, CaseIterable {
        /// A device reported its status.
        case report = "device.report"
        /// An app on a device refuses its configuration.
        case refuse = "device.refuse"
        /// A refusal stands no more.
        case accept = "device.accept"
        /// A device fetched its declarations now.
        case fetch = "device.fetch"
        /// A device reported on exactly what it is given now.
        case settle = "device.settle"
        /// A rule moved a device to other groups.
        case move = "device.move"
    }

    /// A job came further, which is in no audit log either.
    package static let jobProgress = "job.progress"

    /// Every kind that there is: the actions of the audit log, and what devices and jobs do.
    package static let kinds =
        AuditEntry.Action.allCases.map(\.rawValue) + DeviceKind.allCases.map(\.rawValue) + [jobProgress]

    package let kind: String
    package let time: Date
    /// The permission that a reader needs.
    package let permission: Permission
    /// Of an app, by its bundle identifier.
    package var app: String?
    /// What beside app, group and device it is about: a configuration, a secret, a person, an administrator.
    package var name: String?
    package var version: Int?
    package var group: String?
    package var device: String?
    /// The groups of the device, which is whom it concerns; not told.
    package var deviceGroups: [String] = []
    /// What is withheld from the device, of apps and of settings; listeners do not hear of it.
    package var withheld: [Withheld] = []
    package var withheldSettings: [WithheldSetting] = []
    /// The secrets that apps of the device lack by its report, nil where that is not known; listeners do not hear of it.
    package var lackedSecrets: Set<LackedSecret>?
    /// The author, for listeners who may know it.
    package var actor: String?
    /// Its place in the audit log, if it is there.
    package var sequence: Int?
    /// What had been told when it happened; nothing where that does not matter.
    package var place: Int?
    /// After it somebody may be allowed something else, or nobody any more.
    package var concernsAccess = false

    package init(kind: String, time: Date, permission: Permission) {
        self.kind = kind
        self.time = time
        self.permission = permission
    }

    /// A job was begun, came further or ended: for those who may see what others do, and they alone begin jobs.
    package init(of job: Job, time: Date) {
        self.init(kind: Self.jobProgress, time: time, permission: .audit)
        name = job.id
    }

    /// What a device did, in these groups.
    package init(_ kind: DeviceKind, device: String, groups: [String], time: Date) {
        self.init(kind: kind.rawValue, time: time, permission: .look)
        self.device = device
        deviceGroups = groups
    }
}

extension Rights {
    /// The part of a change that a listener with these rights may see; nil if they may not see it at all.
    ///
    /// An owner of apps sees only changes of their apps, their groups, and devices in their groups. The author is shown
    /// to listeners who may read the audit log.
    package func shown(_ change: Change) -> Change? {
        guard allow(change.permission, app: change.app, group: change.group), reach(change) else { return nil }
        var change = change
        if !allow(.audit, app: nil, group: nil) { change.actor = nil }
        return change
    }
}
