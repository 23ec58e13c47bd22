import AdminMessages
import ArgumentParser
import DeviceMessages
import InputBounds

/// The command `martlet device app configure`.
struct DeviceAppConfigure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Give an app that is managed by command another configuration.",
        discussion: "The app gets the whole dictionary anew, also while it runs; what the file leaves out is gone.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "A property list or JSON file; - is standard input.")
    var file: String?

    @Flag(help: "Take the app's configuration away.")
    var none = false

    @Flag(help: "Send the configuration although the app's specification refuses it, or a value looks like a secret.")
    var force = false

    @OptionGroup var awaited: Awaited

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.exactly(["a file": file != nil, "--none": none])
    }

    func run() async throws {
        let configured: PropertyListValue? =
            if let file { try await CommandedConfiguration.read(file, of: app) } else { nil }
        let settings = AppSettings(items: [.configuration(app: app, configured)])
        try await Server.inSession { server in
            let exchange = CommandExchange(device: try await device.id(server), server: server)
            let detail = try await awaited.send(settings.request, force: force, by: exchange, output)
            guard let detail else { return }
            if let failure = CommandedAppText.failure(ofSettings: detail.answer) { throw failure }
            try output.print(detail) {
                "\(Printable.line(app)) has \(configured == nil ? "no configuration any more" : "its configuration")."
            }
        }
    }
}
