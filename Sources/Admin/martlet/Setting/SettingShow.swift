import AdminMessages
import ArgumentParser

/// The command `martlet setting show`.
struct SettingShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a setting holds, and which groups have it.")

    @OptionGroup var setting: SettingName

    @OptionGroup var output: Output

    func run() async throws {
        let (found, groups) = try await Server.inSession { server in
            (
                try await server.send(.get, setting.path).decoded(Setting.self),
                try await server.list(
                    "setting-assignments", query: [("kind", setting.kind), ("name", setting.name)]
                ) as [SettingAssignment]
            )
        }
        try output.print(found) { SettingText.shown(found, groups: groups.map(\.group)) }
    }
}

/// The command `martlet setting history`.
struct SettingHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the versions of a setting, newest first.",
        discussion: "With --json each has what it held.")

    @OptionGroup var setting: SettingName

    @OptionGroup var output: Output

    func run() async throws {
        let versions: [SettingVersion] = try await Server.inSession {
            try await $0.list("settings", setting.kind, setting.name, "versions")
        }
        try output.print(versions, nothing: "No versions.") {
            var table = Table("VERSION", "CREATED", "BY")
            for version in versions { table.add("\(version.version)", version.created.shown, version.author) }
            return table
        }
    }
}
