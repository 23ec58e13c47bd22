import AdminMessages
import ArgumentParser
import DeviceMessages
import InputBounds

/// The command `martlet device app install`.
struct DeviceAppInstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Install an app on a device by command, or take over the one that is there.",
        discussion: """
            The app's sources on the server say where the device gets it; --manifest names another place. With a \
            configuration, the app finds it from its first launch on. The device answers once it has begun: \
            martlet device app list says how far it is.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier; it may be left out with --manifest.")
    var app: String?

    @Option(help: ArgumentHelp("The HTTPS address of the manifest that the device gets the app by.", valueName: "url"))
    var manifest: String?

    @Option(
        help: ArgumentHelp("The app's configuration: a property list or JSON; - is standard input.", valueName: "file"))
    var configuration: String?

    @Flag(help: "The app is removed when the enrollment ends; otherwise it stays, without management.")
    var removeWithEnrollment = false

    @Flag(help: "Take over the app if somebody else has put it on the device.")
    var takeOver = false

    @Flag(help: "Send the configuration although the app's specification refuses it, or a value looks like a secret.")
    var force = false

    @OptionGroup var awaited: Awaited

    @OptionGroup var output: Output

    private static let unnamed = ValidationError("name an app, or its manifest with --manifest")

    func validate() throws {
        guard app != nil || manifest != nil else { throw Self.unnamed }
    }

    func run() async throws {
        let configured: PropertyListValue? =
            if let configuration { try await CommandedConfiguration.read(configuration, of: app) } else { nil }
        try await Server.inSession { server in
            let id = try await device.id(server)
            let origin = try await place(for: id, server)
            let request = InstallApplication(
                identifier: app, manifestURL: origin.manifestURL, storeIdentifier: origin.storeIdentifier,
                managementFlags: removeWithEnrollment ? InstallApplication.removedWithEnrollment : 0,
                configuration: configured, takesOver: takeOver)
            let exchange = CommandExchange(device: id, server: server)
            let detail = try await awaited.send(request.request, force: force, by: exchange, output)
            guard let detail else { return }
            try output.print(detail) { CommandedAppText.installing(detail.answer, named: app) }
        }
    }

    private func place(for device: String, _ server: Server) async throws -> AppOrigin {
        if let manifest { return .manifest(manifest) }
        guard let app else { throw Self.unnamed }
        let sources: [AppSource] = try await server.list("apps", app, "sources")
        let family = "device.operating-system.family"
        let items: [StatusItem] = try await server.list("devices", device, "status", query: [("name", family)])
        let source = try AppOrigin.source(
            among: sources, family: items.first { $0.name == family }?.value.text, takesOver: takeOver)
        guard let source else { return .present }
        // The server knows at which address devices reach what it hosts.
        guard source.origin == "package", let digest = source.location else { return try AppOrigin(source) }
        let package: Package = try await server.get("apps", app, "packages", digest)
        return .manifest(package.manifestURL)
    }
}
