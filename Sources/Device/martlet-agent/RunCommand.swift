import ArgumentParser
import CLinux
import DeviceAgent
import Foundation
import Logging
import ServiceLifecycle
import ServiceManager
import UnixSignals

/// `martlet-agent run`: serves the apps and keeps in touch with the server, in the foreground.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve the apps and keep in touch with the server, until SIGTERM.")

    @Option(
        help: """
            A directory of apps; may be repeated (/opt/martlet/apps for root, apps in the agent's directory for others); \
            MARTLET_AGENT_APPS, separated by commas.
            """)
    var apps: [String] = []

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        StandardOutput.keepDescriptors()
        let settings = try await Settings(options, apps: apps)
        for name in settings.unknownVariables {
            settings.log.warning(
                "the environment has a variable that is not known: it has no effect", metadata: ["name": "\(name)"])
        }
        // Each app has some files open here: some hundred apps more than the thousand that programs begin with.
        if clinux_open_more_files() < 0 {
            settings.log.warning("this process may open no more files than it began with")
        }
        let sockets = try Self.sockets(settings)
        let (device, lock) = try settings.open()
        defer { withExtendedLifetime(lock) {} }
        if device.known.enrollment?.stage != .isComplete {
            settings.log.notice(
                "not enrolled: apps are told that they are not managed, until martlet-agent enroll is run beside this")
        }
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        var pace = DeviceLoop.Pace()
        pace.poll = settings.pollInterval
        let agent = Agent(
            device: device, sockets: sockets, accounts: try settings.accounts(of: device),
            desktop: settings.desktopEntries, pace: pace,
            ready: {
                StandardOutput.say("martlet-agent ready \($0)")
                manager?.say(.ready)
            }, log: settings.log)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: agent, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: settings.log)
        // It says that the agent is alive as long as apps are answered and the conversation with the server gets on.
        if let manager {
            configuration.services.append(.init(service: ServiceManagerReports(manager) { await agent.answers() }))
        }
        // A stop takes milliseconds; whatever hangs is not waited for.
        configuration.maximumGracefulShutdownDuration = .milliseconds(800)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            settings.log.notice("stopped; what took longer than a stop may was cut off")
        }
    }

    /// Where we listen, with the sockets that the service manager holds for us.
    ///
    /// Each has to be where apps and commands look for it.
    private static func sockets(_ settings: Settings) throws -> AgentPaths {
        let paths = settings.paths
        let places = ["app": paths.appSocket, "app-http": paths.httpSocket, "control": paths.controlSocket]
        do {
            let given = try HandedSockets(ProcessInfo.processInfo.environment, names: Set(places.keys))
            var handed: [String: Int32] = [:]
            for (name, path) in places {
                guard let socket = given[name] else { continue }
                guard socket.place == .path(path) else { throw HandedSocketRefusal.elsewhere }
                handed[path] = socket.descriptor
            }
            return AgentPaths(directory: paths.directory, runtime: paths.runtime, handed: handed)
        } catch let refusal as HandedSocketRefusal {
            throw AgentFailure(refusal.description, advice: "Look at the socket units of martlet-agent.")
        }
    }
}
