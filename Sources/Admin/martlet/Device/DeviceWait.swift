import AdminMessages
import ArgumentParser

/// The command `martlet device wait`.
struct DeviceWait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a device has applied everything it was given.",
        discussion: "Ends with 1 when the time is over.")

    @Argument(help: "The device's ID.")
    var device: String

    @Flag(help: "Wait until the device has reported on exactly its present declarations.")
    var synchronised = false

    @Option(help: ArgumentHelp("How long to wait.", valueName: "span"))
    var timeout = TimeSpan(.seconds(60))

    @OptionGroup var output: Output

    func validate() throws {
        guard synchronised else { throw ValidationError("say what to wait for: --synchronised") }
    }

    func run() async throws {
        let done: Bool? = try await Server.inSession { server in
            try await Patience(timeout.duration, for: "waiting for the device").wait {
                let detail: DeviceDetail = try await server.get("devices", device)
                guard detail.state != .withdrawn, detail.state != .checkedOut else {
                    throw Failure(.refused, "the device is no longer enrolled")
                }
                return detail.synchronised ? true : nil
            }
        }
        guard done != nil else {
            throw Failure(
                .failed, "the device was not synchronised within \(timeout.defaultValueDescription)",
                advice: "martlet device show \(Printable.line(device)) says when it was last seen.")
        }
        try output.done(["device": device]) { "\(Printable.line(device)) is synchronised." }
    }
}
