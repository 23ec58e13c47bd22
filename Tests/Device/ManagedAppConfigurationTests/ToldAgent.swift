import CLinux
import DeviceAgent
import Foundation
import Logging
import ManagedApp
import Testing

/// An agent in this process that takes this very process for an app it launched, and says what a test has it say.
final class ToldAgent: Sendable {
    private static let app = "com.example.test"

    let link: AgentLink
    private let directory: URL
    private let service: AppService

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.appending(path: "apps.sock").path
        service = AppService(
            socketPath: path, controlPath: directory.appending(path: "control.sock").path, records: OurselvesOnRecord(),
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), find: { _ in nil }, report: { _ in }
        )
        try service.start()
        link = AgentLink(origin: AgentLink.Origin(socket: nil, path: path, patience: .seconds(3_600)))
    }

    deinit {
        service.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Says what is in the app's dictionary now; with nothing, that the app is not managed.
    func tell(_ body: String?) {
        let state = body.map { body in
            AppState(
                managed: true, synchronised: true,
                configuration: Data("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8))
        }
        service.update(state.map { [Self.app: $0] } ?? [:])
    }

    private struct OurselvesOnRecord: LaunchRecords {
        func load() -> [LaunchRecord] {
            var ticks: UInt64 = 0
            guard unsafe clinux_process_start(getpid(), &ticks) == 0,
                let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            else { return [] }
            return [
                LaunchRecord(
                    bundleIdentifier: ToldAgent.app, process: getpid(), startTime: ticks,
                    boot: boot.trimmingCharacters(in: .whitespacesAndNewlines))
            ]
        }

        func save(_ records: [LaunchRecord]) throws {}
    }
}
