package import DeviceMessages

/// A process that the agent launched as an app, so that a restarted agent knows it again.
///
/// The kernel reuses process numbers: start time and boot make the record name one process forever.
package struct LaunchRecord: Codable, Hashable, Sendable {
    /// The app or extension it runs.
    package let bundleIdentifier: String

    /// What it is to the app that contains it, if it is an extension.
    package let role: ExtensionRole?

    /// Its process number.
    package let process: Int32

    /// When it started, in clock ticks since boot.
    package let startTime: UInt64

    /// The boot it belongs to.
    package let boot: String

    /// The user that it runs as and that nobody else does; nothing if it runs as the agent's own.
    package let user: UInt32?

    /// The cgroup that nobody else is in, as the kernel names it.
    package let cgroup: UInt64?

    /// Where the app lay when it was launched.
    package let directory: String?

    /// Where its files lie, if it has some.
    package let files: String?

    /// How sure it is that this is the app.
    package var trust: AppTrust { user == nil ? .shared : .launched }

    /// The team that signed it, if one did.
    package let team: String?

    /// As what it asks.
    var identity: AppIdentity { AppIdentity(bundleIdentifier, role: role, signedBy: team) }

    /// Records a launch.
    package init(
        bundleIdentifier: String, role: ExtensionRole? = nil, process: Int32, startTime: UInt64, boot: String,
        user: UInt32? = nil, cgroup: UInt64? = nil, directory: String? = nil, files: String? = nil, team: String? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.role = role
        self.process = process
        self.startTime = startTime
        self.boot = boot
        self.user = user
        self.cgroup = cgroup
        self.directory = directory
        self.files = files
        self.team = team
    }
}

/// Where launches are remembered; both calls come from the service alone, one at a time.
package protocol LaunchRecords: Sendable {
    /// What was saved last; empty when there is nothing to be read.
    func load() -> [LaunchRecord]

    /// Replaces what was saved, durably: the app is not let run before this returns.
    func save(_ records: [LaunchRecord]) throws
}
