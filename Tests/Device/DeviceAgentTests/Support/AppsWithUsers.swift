import Foundation
import Logging

@testable import DeviceAgent

/// A service whose apps run as users of their own, as only root can have it; each app is a program in Python.
final class AppsWithUsers {
    let controlPath: String
    private let root: URL
    private let accounts: AppAccounts
    private let service: AppService
    private var started: Set<String> = []

    /// Whether the kernel has cgroups for the apps.
    static let haveCgroups = {
        let cgroups = AppCgroups("martlet-apps-look", limits: AppLimits())
        cgroups?.tidy()
        return cgroups != nil
    }()

    init(limits: AppLimits = AppLimits()) throws {
        root = try Fixture.directory()
        controlPath = root.path + "/control.sock"
        accounts = try AppAccounts(
            directory: root.path, numbers: AppNumbers(directory: root.path + "/machine"), limits: limits)
        service = AppService(
            socketPath: root.path + "/apps.sock", controlPath: controlPath,
            records: LaunchRecordsFile(path: root.path + "/launches.json"),
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), find: { _ in nil },
            report: { _ in }, accounts: accounts)
        try service.start()
        service.update([:])
    }

    /// Ends the apps and the service.
    func end() {
        for app in started { try? accounts.end(app) }
        service.stop()
        accounts.tidy()
        try? FileManager.default.removeItem(at: root)
    }

    /// Starts an app, or an extension of one; returns what it writes.
    func start(_ identifier: String, in role: ExtensionRole? = nil, _ program: String) throws -> FileHandle {
        started.insert(role?.app ?? identifier)
        let output = Pipe()
        let bundle = AppBundle(
            directory: "/", identifier: identifier, name: "A", version: "1", shortVersion: "1",
            executable: "/usr/bin/python3", role: role)
        _ = try service.launch(
            bundle, arguments: ["-c", program], standardOutput: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        return output.fileHandleForReading
    }
}
