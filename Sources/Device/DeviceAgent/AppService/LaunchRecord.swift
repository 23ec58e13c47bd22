/// A process that the agent launched as an app, so that a restarted agent knows it again.
///
/// The kernel reuses process numbers: start time and boot make the record name one process for ever.
package struct LaunchRecord: Codable, Hashable, Sendable {
    /// The app it runs.
    package let bundleIdentifier: String

    /// Its process number.
    package let process: Int32

    /// When it started, in clock ticks since boot.
    package let startTime: UInt64

    /// The boot it belongs to.
    package let boot: String

    /// Records a launch.
    package init(bundleIdentifier: String, process: Int32, startTime: UInt64, boot: String) {
        self.bundleIdentifier = bundleIdentifier
        self.process = process
        self.startTime = startTime
        self.boot = boot
    }
}

/// Where launches are remembered; both calls come from the service alone, one at a time.
package protocol LaunchRecords: Sendable {
    /// What was saved last; empty when there is nothing to be read.
    func load() -> [LaunchRecord]

    /// Replaces what was saved, durably: the app is not let run before this returns.
    func save(_ records: [LaunchRecord]) throws
}
