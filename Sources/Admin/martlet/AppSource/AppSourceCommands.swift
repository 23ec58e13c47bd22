import ArgumentParser

/// The command `martlet app source …`.
struct AppSourceCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source", abstract: "Where devices get an app, by platform.",
        discussion: """
            Without a source, devices with Linux or macOS take over an installed app. Of several sources for one \
            platform a device gets the first whose minimum versions it meets: a hosted package, a manifest, the App Store, \
            what is installed.
            """,
        subcommands: [AppSourceSet.self, AppSourceList.self, AppSourceShow.self, AppSourceRemove.self])
}
