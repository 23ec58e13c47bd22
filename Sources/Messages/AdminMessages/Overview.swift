/// The fleet at a glance. `GET /overview`
///
/// What would take long to count ends at a bound: `isMore` says that there are more.
package struct Overview: Codable, Hashable, Sendable {
    package var devices: DeviceCounts
    /// How many devices have not been seen for a week.
    package var silent: BoundedCount
    /// Enrollment codes that nobody has used yet and that are still good.
    package var openEnrollmentCodes: BoundedCount
    /// Those that are refused on most devices first, then by bundle identifier; 500 at most.
    package var apps: [AppOverview]

    package init(
        devices: DeviceCounts, silent: BoundedCount, openEnrollmentCodes: BoundedCount, apps: [AppOverview]
    ) {
        self.devices = devices
        self.silent = silent
        self.openEnrollmentCodes = openEnrollmentCodes
        self.apps = apps
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

    package init(bundleIdentifier: String, name: String, devices: Int, refusals: Int, groups: Int) {
        self.bundleIdentifier = bundleIdentifier
        self.name = name
        self.devices = devices
        self.refusals = refusals
        self.groups = groups
    }
}
