import AdminMessages
import ArgumentParser

/// The command `martlet device wait`.
struct DeviceWait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a device has applied everything it was given.",
        discussion: "Ends with 1 when the time is over.")

    @OptionGroup var device: DeviceArgument

    @Flag(
        name: [.customLong("synchronized"), .customLong("synchronised")],
        help: "Changes nothing: the command waits until the device has reported on exactly its present declarations.")
    var synchronised = false

    @Option(help: ArgumentHelp("How long to wait.", valueName: "span"))
    var timeout = TimeSpan(.seconds(60))

    @OptionGroup var output: Output

    func run() async throws {
        let (id, done): (String, Bool?) = try await Server.inSession { server in
            let id = try await device.id(server)
            let done: Bool? = try await Patience(timeout.duration, for: "waiting for the device").wait {
                let detail: DeviceDetail = try await server.get("devices", id)
                guard detail.state != .withdrawn, detail.state != .checkedOut else {
                    throw Failure(.refused, "the device is no longer enrolled")
                }
                return detail.synchronised ? true : nil
            }
            return (id, done)
        }
        guard done != nil else {
            throw Failure(
                .failed, "the device was not synchronized within \(timeout.defaultValueDescription)",
                advice: "martlet device show \(Printable.line(id)) says when it was last seen.")
        }
        try output.done(["device": id]) { "\(Printable.line(id)) is synchronized." }
    }
}
