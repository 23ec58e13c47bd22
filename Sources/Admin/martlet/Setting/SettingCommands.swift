import ArgumentParser

/// The command `martlet setting …`.
struct SettingCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setting", abstract: "What devices get beside apps, such as certificates that apps trust.",
        discussion: """
            A setting has a kind, a name and versions. It is set once and given to groups:

              martlet setting set root-certificate proxy proxy-root.pem
              martlet setting assign teachers root-certificate proxy

            Setting it again makes a new version, which reaches the devices of its groups at once.
            """,
        subcommands: [
            SettingKinds.self, SettingList.self, SettingShow.self, SettingSet.self, SettingHistory.self,
            SettingRemove.self, SettingAssign.self, SettingUnassign.self, SettingAssignments.self,
        ])
}

/// Which setting a command is about.
struct SettingName: ParsableArguments {
    @Argument(help: "The kind, as martlet setting kinds lists it.")
    var kind: String

    @Argument(help: "The setting's name, such as proxy.")
    var name: String

    /// The path of the setting below `/api/v1`.
    var path: [String] { ["settings", kind, name] }

    var text: String { "\(Printable.line(kind)) \(Printable.line(name))" }
}
