import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent app …`: the apps of this device, and those that the server offers.
struct AppCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "List this device's apps; install, update or remove one that the server offers.",
        subcommands: [
            AppListCommand.self, AppInstallCommand.self, AppUpdateCommand.self, AppRemoveCommand.self,
            AppFullAccessCommand.self,
        ])
}

/// `martlet-agent app list`: every app, managed or not.
struct AppListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List every app, managed or not.",
        discussion: "At the end are directories that cannot be used as an app, with the reason; martlet-agent status "
            + "has them for programs (unusableApps).")

    @Flag(help: "For programs.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        let apps = try settings.listedApps()
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(apps), as: UTF8.self))
            return
        }
        let unusable = settings.searchedDirectories()?.unusable ?? []
        for app in apps {
            let state = [app.state ?? "unmanaged", app.updateState.map { "update \($0)" }].compactMap { $0 }
            print("\(app.bundleIdentifier)  \(app.version ?? "-")  \(state.joined(separator: ", "))  \(app.name)")
            for reason in app.reasons { print("    \(reason)") }
            for one in app.users ?? [] {
                print("    users \(one.first == one.last ? "" : "\(one.first)-")\(one.last), \(one.signer)")
            }
            for one in app.extensions ?? [] { print("    \(one.line)") }
        }
        for app in unusable {
            print("\(app.identifier ?? "-")  -  unusable  \(app.directory)")
            print("    \(app.reason)")
        }
        if apps.isEmpty, unusable.isEmpty { try? FileHandle.standardError.write(contentsOf: Data("no apps\n".utf8)) }
    }
}

/// `martlet-agent app install`: has an app that the server offers.
struct AppInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Install an app that the server offers, and wait until it is there.")

    @Argument(help: "The app's bundle identifier.")
    var bundleIdentifier: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        try settings.ask(.install(bundleIdentifier: bundleIdentifier))
        let app = try await InstallWait(settings: settings, bundle: bundleIdentifier).end { app in
            app.state == "managed" && app.updateState != "updating"
        }
        print("installed \(app.name) \(app.version ?? "")")
    }
}

/// `martlet-agent app update`: looks for a newer version now.
struct AppUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Look for a newer version of an installed app, and install it.")

    @Argument(help: "The app's bundle identifier.")
    var bundleIdentifier: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        try settings.ask(.update(bundleIdentifier: bundleIdentifier))
        let app = try await InstallWait(settings: settings, bundle: bundleIdentifier).end { app in
            app.state == "managed" && app.updateState == nil
        }
        print("\(app.name) is at version \(app.version ?? "")")
    }
}

/// `martlet-agent app remove`: is rid of an app that was installed on request.
struct AppRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an app that was installed on request, with all that it kept.")

    @Argument(help: "The app's bundle identifier.")
    var bundleIdentifier: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        try settings.ask(.remove(bundleIdentifier: bundleIdentifier))
        print("removed \(bundleIdentifier)")
    }
}

/// Waits for an installation, and shows on a terminal how far it is.
struct InstallWait {
    // Of one answer of the agent; an installation has all the time that a download takes, and reports its progress.
    private static let pause = Duration.milliseconds(200)

    let settings: Settings
    let bundle: String

    /// Waits until `isDone` holds and returns the app; throws as soon as something fails.
    func end(_ isDone: (ListedApp) -> Bool) async throws -> ListedApp {
        let shows = isatty(2) == 1
        var shown = ""
        defer { if !shown.isEmpty { Self.note("\r\u{1B}[K") } }
        while true {
            guard let app = try settings.listedApps().first(where: { $0.bundleIdentifier == bundle }) else {
                throw AgentFailure("the server no longer offers this app")
            }
            if app.state == "failed" || app.updateState == "failed" {
                throw AgentFailure(app.reasons.first ?? "the app could not be installed")
            }
            if isDone(app) { return app }
            let text = "\(app.updateState ?? app.state ?? "")\(app.percent.map { " \($0) %" } ?? "")"
            if shows, text != shown {
                Self.note("\r\(app.name): \(text)\u{1B}[K")
                shown = text
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

extension Settings {
    /// The apps, as the running agent knows them.
    func listedApps() throws -> [ListedApp] {
        guard case .apps(let list) = try answer(.list) else { throw AgentFailure("the agent did not list its apps") }
        return list
    }

    /// Where the running agent looks for apps; nothing if it does not say, or none runs.
    func searchedDirectories() -> AppDirectories? {
        ControlCommand.directories(controlPath: paths.controlSocket)
    }

    /// Asks for something to be done.
    func ask(_ request: AppRequest) throws { _ = try answer(request) }

    private func answer(_ request: AppRequest) throws -> AppAnswer {
        let answer: AppAnswer?
        do {
            answer = try ControlCommand.ask(controlPath: paths.controlSocket, request)
        } catch let failure as LinuxFailure where [ENOENT, ECONNREFUSED].contains(failure.number) {
            throw AgentFailure(
                "no agent runs in \(directory)",
                advice: "Start it with martlet-agent run, or name its directory with --directory.")
        }
        switch answer {
        case nil: throw AgentFailure("the agent ended meanwhile", advice: "Try again once it runs.")
        case .refused(let why): throw AgentFailure(why)
        case .some(let answer): return answer
        }
    }
}
