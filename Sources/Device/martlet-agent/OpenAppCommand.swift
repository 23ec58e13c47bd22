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

    @Flag(help: "Give it its configuration and secrets as files, too, in the directory that MARTLET_FILES names.")
    var files = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        throw try await options.open(bundleIdentifier) { controlPath in
            try OpenCommand.run(
                controlPath: controlPath, bundleIdentifier: bundleIdentifier, arguments: arguments,
                files: files ? true : nil)
        }
    }
}

extension SettingsOptions {
    /// Has the agent open an app; what comes back is to be thrown, and ends this program as the app ended.
    func open(_ bundleIdentifier: String, _ ask: (_ controlPath: String) throws -> Int32) async throws -> ExitCode {
        let settings = try await Settings(self)
        do {
            return ExitCode(try ask(settings.paths.controlSocket))
        } catch let failure as LinuxFailure where [ENOENT, ECONNREFUSED].contains(failure.number) {
            throw AgentFailure(
                "no agent runs in \(settings.directory)",
                advice: "Start it with martlet-agent run, or name its directory with --directory.")
        } catch OpenFailure.noSuchApp {
            guard let searched = settings.searchedDirectories() else { throw AgentFailure("\(OpenFailure.noSuchApp)") }
            throw AgentFailure(searched.explanation(of: bundleIdentifier))
        } catch let failure as OpenFailure {
            throw AgentFailure("\(failure)")
        }
    }
}
