package import Foundation

/// The fleet at a glance. `GET /overview`
///
/// What would take long to count ends at a bound: `isMore` says that there are more.
package struct Overview: Codable, Hashable, Sendable {
    package var devices: DeviceCounts
    /// How many devices have not been seen for a week.
    package var silent: BoundedCount
    /// Enrollment codes that nobody has used yet and that are still good.
    package var openEnrollmentCodes: BoundedCount
    /// Those that are not in order on most devices first, then by bundle identifier; 500 at most.
    package var apps: [AppOverview]
    /// How far the last changes are that began on their way to devices since the server did, the newest first.
    ///
    /// The changes that the caller may see. One that has arrived stays in the list, so that a program can wait for it.
    package var changes: [ChangeJourney]?
    /// When the server started: earlier changes are not among these, whether they arrived or not.
    package var changesSince: Date?
    /// Secrets of which a value was forgotten with its master key, 100 at most, for callers who may see secrets; nothing
    /// where there are none.
    package var secretsWithoutValue: [String]?

    package init(
        devices: DeviceCounts, silent: BoundedCount, openEnrollmentCodes: BoundedCount, apps: [AppOverview],
        changes: [ChangeJourney]? = nil, changesSince: Date? = nil, secretsWithoutValue: [String]? = nil
    ) {
        self.secretsWithoutValue = secretsWithoutValue
        self.devices = devices
        self.silent = silent
        self.openEnrollmentCodes = openEnrollmentCodes
        self.apps = apps
        self.changes = changes
        self.changesSince = changesSince
    }
}

/// A change on its way to devices: how far it is.
package struct ChangeJourney: Codable, Hashable, Sendable {
    /// Such as `configuration.set`.
    package var kind: String
    package var time: Date
    package var app: String?
    /// Of the configuration or the secret.
    package var name: String?
    package var version: Int?
    package var group: String?
    /// Devices in the groups that it concerns when it began or when one last came, left or was moved by a rule, or that have
    /// fetched it since if those are more.
    package var devices: Int
    /// That fetched what they are given since.
    package var fetched: Int
    /// That held exactly what they were given since, and said so; not where what it gives was withheld then, or where an app
    /// lacks the secret that it gives.
    package var settled: Int
    /// On which the app refuses this version of the configuration; 0 for what is no configuration.
    package var refused: Int

    /// Whether every device that it concerns holds it, and no app refuses it: it is on its way no more.
    package var hasArrived: Bool { settled >= devices && refused == 0 }

    /// Whether it concerns no device: none is in the groups that it is for.
    package var concernsNoDevice: Bool { devices == 0 && settled == 0 && refused == 0 }

    package init(
        kind: String, time: Date, app: String?, name: String?, version: Int?, group: String?, devices: Int,
        fetched: Int, settled: Int, refused: Int
    ) {
        self.kind = kind
        self.time = time
        self.app = app
        self.name = name
        self.version = version
        self.group = group
        self.devices = devices
        self.fetched = fetched
        self.settled = settled
        self.refused = refused
    }
}

/// How many devices there are, by where their enrollment stands.
package struct DeviceCounts: Codable, Hashable, Sendable {
    package var enrolled: Int
    package var enrolling: Int
    package var checkedOut: Int
    package var withdrawn: Int

    package init(enrolled: Int, enrolling: Int, checkedOut: Int, withdrawn: Int) {
        self.enrolled = enrolled
        self.enrolling = enrolling
        self.checkedOut = checkedOut
        self.withdrawn = withdrawn
    }
}

/// A number that was counted up to a bound.
package struct BoundedCount: Codable, Hashable, Sendable {
    package var count: Int
    /// There are more than that.
    package var isMore: Bool

    package init(count: Int, isMore: Bool) {
        self.count = count
        self.isMore = isMore
    }
}

/// One app at a glance.
package struct AppOverview: Codable, Hashable, Sendable {
    package var bundleIdentifier: String
    package var name: String
    /// Devices that have it.
    package var devices: Int
    /// Devices on which it, or one of its extensions, refuses its configuration; one that refuses two counts twice.
    package var refusals: Int
    /// Groups that are given it.
    package var groups: Int
    /// Devices that report it, by how it fares there.
    package var states: AppStateCounts
    /// Devices that get it by their groups and have not reported it; `isMore` says that there may be more, where several
    /// large groups are given it.
    package var unreported: BoundedCount

    /// Devices on which something is left to do until it works as it is assigned.
    package var notInOrder: Int { states.notInOrder + unreported.count }

    /// Devices that report it or get it by their groups, of which `devices` have it.
    package var concerned: Int { states.all.reduce(unreported.count) { $0 + $1.devices } }

    package init(
        bundleIdentifier: String, name: String, devices: Int, refusals: Int, groups: Int, states: AppStateCounts,
        unreported: BoundedCount
    ) {
        self.states = states
        self.unreported = unreported
        self.bundleIdentifier = bundleIdentifier
        self.name = name
        self.devices = devices
        self.refusals = refusals
        self.groups = groups
    }
}
