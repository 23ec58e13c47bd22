package import Foundation
package import Logging
import ServiceLifecycle

/// The agent at work: serves the apps at once, and keeps in touch with the server.
///
/// Apps are answered before any network is touched: what the device holds serves, whether the server is there or not.
package struct Agent: Service {
    private let device: Device
    private let apps: AppService
    private let doorbell: Doorbell
    private let pace: DeviceLoop.Pace
    private let now: @Sendable () -> Date
    private let ready: @Sendable (String) -> Void
    private let log: Logger

    /// Prepares an agent on `device`; `ready` is called with the device's name once apps are served.
    package init(
        device: Device, sockets: AgentPaths, pace: DeviceLoop.Pace = DeviceLoop.Pace(),
        now: @escaping @Sendable () -> Date = { Date() }, ready: @escaping @Sendable (String) -> Void, log: Logger
    ) {
        self.device = device
        self.pace = pace
        self.now = now
        self.ready = ready
        self.log = log
        let doorbell = Doorbell()
        self.doorbell = doorbell
        apps = AppService(
            socketPath: sockets.appSocket, controlPath: sockets.controlSocket, records: DeviceLaunchRecords(device),
            log: log,
            find: { device.app($0) },
            report: { report in
                // On the disk before the app goes on, so that what it said is never lost.
                do {
                    try device.change { $0.heard(report) }
                    doorbell.ring(.status)
                } catch {
                    log.error("what an app said could not be kept", metadata: ["why": "\(error)"])
                }
            })
    }

    package func run() async throws {
        if device.setAside > 0 {
            log.error("a torn or changed generation was set aside", metadata: ["count": "\(device.setAside)"])
        }
        try apps.start()
        defer { apps.stop() }
        publish()
        ready(device.known.udid)
        let loop = DeviceLoop(
            device: device, doorbell: doorbell, pace: pace, publish: { publish() }, now: now, log: log)
        await cancelWhenGracefulShutdown {
            do {
                try await loop.run()
                // Not enrolled any more: the apps are still to be told so.
                while true { try await Task.sleep(for: .seconds(3_600)) }
            } catch is CancellationError {
            } catch {
                if !Task.isCancelled { log.error("the agent cannot go on", metadata: ["why": "\(error)"]) }
            }
        }
    }

    private func publish() {
        do {
            apps.update(try device.appStates(now: now()), others: device.otherApps)
        } catch {
            log.error("the apps' configurations could not be read", metadata: ["why": "\(error)"])
        }
    }
}

extension Agent: CustomStringConvertible {
    package var description: String { "the agent" }
}

/// Where an agent listens, below its directory.
package struct AgentPaths: Sendable {
    package let directory: String

    package init(directory: String) { self.directory = directory }

    package var appSocket: String { directory + "/app.socket" }
    package var controlSocket: String { directory + "/control.socket" }
}

extension AgentState {
    /// Keeps what an app said; the same again changes nothing.
    mutating func heard(_ report: ConfigurationReport) {
        if let known = reports[report.bundleIdentifier], known.says(report) { return }
        guard applied.apps[report.bundleIdentifier] != nil else { return }
        reports[report.bundleIdentifier] = report
    }
}

extension ConfigurationReport {
    /// Whether both say the same, whenever they were made.
    func says(_ other: ConfigurationReport) -> Bool {
        ConfigurationReport(
            bundleIdentifier: bundleIdentifier, version: version, valid: valid, code: code, message: message,
            keyPath: keyPath, keyPathSupplied: keyPathSupplied, at: other.at) == other
    }
}
