import AdminMessages
import ArgumentParser

/// The command `martlet configuration try`.
struct ConfigurationTry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Have a running app decode a configuration before it is set.",
        discussion: """
            The app that runs on the device decodes the file with the decoder that it uses for real configurations. It \
            uses nothing of it, its configuration stays what it is, and only whether it took it comes back. Ends with 0 \
            when it did, with 4 when it refused, and with 1 when nothing came of it. A device that does not answer in \
            time never runs it.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var device: DeviceArgument

    @Option(help: "A property list or JSON file; - is standard input.")
    var file: String

    @Option(help: "plist or json; found out from the file if left out.")
    var format: DocumentForm?

    @Option(name: .customLong("extension"), help: "The bundle identifier of the app's extension that is meant.")
    var appExtension: String?

    @Option(help: ArgumentHelp("How long the device may take, at most 10m.", valueName: "span"))
    var timeout = TimeSpan(.seconds(60))

    @OptionGroup var output: Output

    func validate() throws {
        guard (1...600).contains(timeout.seconds) else { throw ValidationError("--timeout is between 1s and 10m") }
    }

    private var part: [(String, String)] { appExtension.map { [("extension", $0)] } ?? [] }

    func run() async throws {
        let input = try ConfigurationDocument.input(at: file)
        let document = try await ConfigurationDocument.read(
            input, as: format ?? ConfigurationDocument.form(of: input, path: file), of: app, extension: appExtension)
        let begun: ConfigurationTrial = try await Server.inSession { server in
            let id = try await device.id(server)
            let exchange = TrialExchange(app: app, device: id, part: part, timeout: timeout, server: server)
            let begun = try await exchange.begin(document.bytes)
            complain(of: begun.check)
            return try await exchange.outcome(of: begun)
        }
        try output.print(begun) { TrialText.sentence(begun, app: app, device: device.device) }
        if let failure = TrialText.failure(begun, device: device.device, within: timeout) { throw failure }
    }

    private func complain(of check: ConfigurationCheck?) {
        for error in check?.errors ?? [] {
            Terminal.complain("specification: \(Printable.line(error.sentence))")
        }
        for warning in check?.warnings ?? [] {
            Terminal.complain("warning: \(Printable.line(warning))")
        }
    }
}
