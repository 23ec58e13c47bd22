import AdminMessages
import ArgumentParser

/// The command `martlet device apps`.
struct DeviceApps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Ask a device which apps are on it, managed or not, and wait for the answer.",
        discussion: """
            A device that a person has enrolled tells of managed apps alone. Those that are managed by command are installed, \
            configured and removed by martlet device app.
            """)

    @OptionGroup var device: DeviceArgument

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "span"))
    var wait = TimeSpan(.seconds(30))

    @OptionGroup var output: Output

    func run() async throws {
        let request = CommandRequest(requestType: "InstalledApplicationList", parameters: .object([:]))
        let detail = try await Server.inSession { server in
            try await CommandExchange(device: device.id(server), server: server).answer(to: request, within: wait)
        }
        let apps = detail.answer?["InstalledApplicationList"] ?? .array([])
        try output.print(apps) {
            var table = Table("APP", "NAME", "VERSION", "MANAGED")
            guard case .array(let list) = apps else { return "" }
            for app in list {
                table.add(
                    app["Identifier"].map(DeviceText.text), app["Name"].map(DeviceText.text),
                    app["ShortVersion"].map(DeviceText.text), app["IsManaged"] == .boolean(true) ? "yes" : "no")
                guard case .array(let extensions) = app["MartletExtensions"] else { continue }
                for one in extensions {
                    table.add(
                        "  " + (one["Identifier"].map(DeviceText.text) ?? ""), one["Kind"].map(DeviceText.text), nil,
                        (one["IsManaged"] == .boolean(true) ? "yes" : "no") + Self.access(of: one))
                }
            }
            return table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }

    private static func access(of one: JSON) -> String {
        guard one["IsRestricted"] == .boolean(true) else { return "" }
        return one["HasFullAccess"] == .boolean(true) ? ", with full access" : ", without full access"
    }
}
