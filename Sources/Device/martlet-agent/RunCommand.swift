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

    @Option(help: "A directory of apps; may be repeated. MARTLET_AGENT_APPS, separated by commas.")
    var apps: [String] = []

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options, apps: apps)
        // Each app has some files open here: some hundred apps more than the thousand that programs begin with.
        if clinux_open_more_files() < 0 {
            settings.log.warning("this process may open no more files than it began with")
        }
        let (device, lock) = try settings.open()
        defer { withExtendedLifetime(lock) {} }
        if device.known.enrollment?.stage != .isComplete {
            settings.log.notice(
                "not enrolled: apps are told that they are not managed, until martlet-agent enroll is run beside this")
        }
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        let agent = Agent(
            device: device, sockets: settings.paths, accounts: try settings.accounts(),
            desktop: settings.desktopEntries,
            ready: {
                FileHandle.standardOutput.write(Data("martlet-agent ready \($0)\n".utf8))
                manager?.say(.ready)
            }, log: settings.log)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: agent, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: settings.log)
        // It says that the agent is alive as long as apps are answered.
        if let manager {
            configuration.services.append(.init(service: ServiceManagerReports(manager) { await agent.answers() }))
        }
        // A stop takes milliseconds; whatever hangs is not waited for.
        configuration.maximumGracefulShutdownDuration = .milliseconds(800)
        try await ServiceGroup(configuration: configuration).run()
    }
}
