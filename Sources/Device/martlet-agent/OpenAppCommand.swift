import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent open`: has the running agent start an app on this terminal.
struct OpenAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Start an app, and wait for its end.")

    @Argument(help: "The app's bundle identifier.")
    var bundleIdentifier: String

    @Argument(parsing: .postTerminator, help: "What the app is given, after --.")
    var arguments: [String] = []

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        let status: Int32
        do {
            status = try OpenCommand.run(
                controlPath: settings.paths.controlSocket, bundleIdentifier: bundleIdentifier, arguments: arguments,
                environment: ProcessInfo.processInfo.environment)
        } catch let failure as LinuxFailure where [ENOENT, ECONNREFUSED].contains(failure.number) {
            throw AgentFailure(
                "no agent runs in \(settings.directory)",
                advice: "Start it with martlet-agent run, or name its directory with --directory.")
        } catch let failure as OpenFailure {
            throw AgentFailure("\(failure)")
        }
        throw ExitCode(status)
    }
}
