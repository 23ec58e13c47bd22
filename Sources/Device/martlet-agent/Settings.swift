import ArgumentParser
import Configuration
import DeviceAgent
import Foundation
import Logging

/// Where the agent keeps its things and finds the apps: flags, then `MARTLET_AGENT_…`, then a file.
struct SettingsOptions: ParsableArguments {
    @Option(help: "Where the agent keeps everything; MARTLET_AGENT_DIRECTORY.")
    var directory: String?

    @Option(help: "A JSON file with settings (directory, apps, log.level); MARTLET_AGENT_CONFIG.")
    var config: String?

    @Option(
        name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error; MARTLET_AGENT_LOG_LEVEL.")
    var logLevel: String?
}

/// The settings as they were found.
struct Settings {
    let directory: String
    let apps: [String]
    let facts: DeviceFacts
    let isRoot: Bool
    let log: Logger

    init(_ options: SettingsOptions, apps given: [String] = []) async throws {
        let isRoot = geteuid() == 0
        let environment = ProcessInfo.processInfo.environment
        let variables = EnvironmentVariablesProvider().prefixKeys(with: "martlet.agent")
        let file = options.config ?? ConfigReader(provider: variables).string(forKey: "config")
        let place = InMemoryProvider(values: [
            "filePath": .init(stringLiteral: file ?? "/etc/martlet/agent.json"),
            "allowMissing": .init(booleanLiteral: file == nil),
        ])
        let settings: FileProvider<JSONSnapshot>
        do {
            settings = try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
        } catch {
            throw ValidationError("the settings file cannot be read as JSON")
        }
        let reader = ConfigReader(providers: [variables, settings])
        let name = options.logLevel ?? reader.string(forKey: "log.level", default: "info")
        guard let level = Logger.Level(rawValue: name) else { throw ValidationError("there is no such log level") }
        var log = Logger(label: "martlet-agent") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = level
        self.log = log
        self.isRoot = isRoot
        facts = DeviceFacts.read()
        let directory =
            options.directory ?? reader.string(forKey: "directory") ?? Self.defaultDirectory(isRoot, environment)
        self.directory = URL(fileURLWithPath: directory).standardizedFileURL.path
        let apps = given.isEmpty ? reader.stringArray(forKey: "apps") ?? [] : given
        self.apps = apps.isEmpty ? [isRoot ? "/opt/martlet/apps" : self.directory + "/apps"] : apps
    }

    var paths: AgentPaths { AgentPaths(directory: directory) }

    /// Takes the directory for this process alone and opens the device in it.
    func open() throws -> (device: Device, lock: DirectoryLock) {
        try FileManager.default.createDirectory(
            atPath: (directory as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let lock: DirectoryLock
        do {
            lock = try DirectoryLock(directory)
        } catch StoreRefusal.inUse {
            throw ValidationError("another martlet-agent works in \(directory); stop it first")
        }
        return (try Device(directory: directory, appDirectories: apps, facts: facts, namesMachine: isRoot), lock)
    }

    private static func defaultDirectory(_ isRoot: Bool, _ environment: [String: String]) -> String {
        if isRoot { return "/var/lib/martlet" }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/martlet" }
        return NSHomeDirectory() + "/.local/state/martlet"
    }
}
