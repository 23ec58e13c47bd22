import Foundation
package import Logging

/// Serves the apps on this device: launches them, knows them again, tells each its state.
///
/// One thread with one epoll does everything. Before the first `update` nobody is answered, so that an agent
/// that is still reading its store never tells an app that it is unmanaged.
package final class AppService: Sendable {
    /// Prepares a service; nothing happens before `start`.
    ///
    /// `find` says which app an `open` command means; `report` hears what decoders say, on the service's thread:
    /// it must not block for long.
    package init(
        socketPath: String, controlPath: String, records: any LaunchRecords, log: Logger,
        find: @escaping @Sendable (_ bundleIdentifier: String) -> AppBundle?,
        report: @escaping @Sendable (ConfigurationReport) -> Void
    ) {
    }

    /// Listens, takes back the processes on record and begins to answer.
    package func start() throws {}

    /// Stops answering; the apps live on and come back to the next service on the same path.
    package func stop() {}

    /// Replaces what the apps are told; those whose state changed hear of it at once.
    ///
    /// An app that is not named is told that it is not managed.
    package func update(_ apps: [String: AppState]) {}

    /// Starts an app with the given descriptors as its input and outputs, and records it before it runs.
    package func launch(
        _ bundle: AppBundle, arguments: [String] = [], environment: [String: String] = [:],
        standardInput: Int32 = 0, standardOutput: Int32 = 1, standardError: Int32 = 2
    ) throws -> Int32 { 0 }
}
