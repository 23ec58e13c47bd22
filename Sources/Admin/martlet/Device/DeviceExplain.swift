import AdminMessages
import ArgumentParser

/// The command `martlet device explain`.
struct DeviceExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what a device gets, and why.",
        discussion: """
            Of each app: which configuration, extensions and secrets the device gets, from where, and whether it must have \
            it; which assignments there are, which counts and why; where the values of variables come from; and the \
            state of the app on the device (standing), as device show has it.
            Of each setting: whether the device gets it, and by which groups.

            With --group, as if the device were in these groups and no others.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier; all apps without it.")
    var app: String?

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp("As if the device were in this group; may be repeated.", valueName: "name"))
    var groups: [String] = []

    @Flag(help: "As if the device were in no group.")
    var noGroup = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost(["--group": !groups.isEmpty, "--no-group": noGroup])
    }

    func run() async throws {
        var query: [(String, String)] = []
        if let app { query.append(("app", app)) }
        if noGroup || !groups.isEmpty { query.append(("groups", groups.joined(separator: ","))) }
        let effective: DeviceEffective = try await Server.inSession { server in
            try await server.send(.get, ["devices", device.id(server), "effective"], query: query).decoded()
        }
        try output.print(effective) {
            EffectiveText(effective).text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
