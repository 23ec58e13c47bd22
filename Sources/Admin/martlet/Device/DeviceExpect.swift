import AdminMessages
import ArgumentParser

/// The command `martlet device expect`.
struct DeviceExpect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect", abstract: "Let a device enroll once by itself, because it is expected.",
        discussion: """
            Any device can claim a serial number. So say with --chip which chip the device has (martlet-agent chip shows \
            it on the device), or with --trust-serial-number that the first device that claims the number is let in.

            If the device is expected already, what you do not give here stays as it was.
            """)

    @Argument(help: "The device's serial number.")
    var serialNumber: String

    @Option(help: "The group the device joins.")
    var group: String

    @Option(help: "SHA-256 of the endorsement key of the device's TPM, in hexadecimal digits.")
    var chip: String?

    @Flag(help: "Let in the first device that claims the serial number.")
    var trustSerialNumber = false

    @Flag(help: "Have it wait in its setup until its apps and configurations are there.")
    var awaitConfiguration = false

    @Flag(help: "Have it not wait in its setup, as a device that was not expected before does not.")
    var noAwaitConfiguration = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func validate() throws {
        // By one of them the device is known.
        try OneOption.exactly(["--chip": chip != nil, "--trust-serial-number": trustSerialNumber])
        try OneOption.atMost([
            "--await-configuration": awaitConfiguration, "--no-await-configuration": noAwaitConfiguration,
        ])
    }

    func run() async throws {
        try await Server.inSession { server in
            _ = try await server.change(["expected-devices", serialNumber], condition) {
                (present: ExpectedDevice?) -> ExpectedDeviceRequest in
                let waits = awaitConfiguration || (!noAwaitConfiguration && present?.awaitConfiguration == true)
                return ExpectedDeviceRequest(
                    group: group, chip: chip?.lowercased(), trustSerialNumber: trustSerialNumber ? true : nil,
                    awaitConfiguration: waits ? true : nil)
            }
        }
        try output.done(["serialNumber": serialNumber]) {
            "The device \(Printable.line(serialNumber)) may enroll once, by martlet-agent enroll --automatic."
        }
    }
}

/// The command `martlet device expected`.
struct DeviceExpected: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expected", abstract: "List the devices that are expected, or that came so.")

    @Argument(help: "A serial number: that device alone.")
    var serialNumber: String?

    @OptionGroup var output: Output

    func run() async throws {
        let devices: [ExpectedDevice] = try await Server.inSession { server in
            guard let serialNumber else { return try await server.list("expected-devices") }
            return [try await server.get("expected-devices", serialNumber)]
        }
        try output.print(devices, nothing: "No device is expected.") {
            var table = Table("SERIAL NUMBER", "GROUP", "KNOWN BY", "CAME")
            for device in devices {
                table.add(
                    device.serialNumber, device.group, device.chip == nil ? "serial number" : "chip",
                    device.used?.shown ?? "-")
            }
            return table
        }
    }
}

/// The command `martlet device unexpect`.
struct DeviceUnexpect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unexpect", abstract: "Expect a device no more. One that came stays enrolled.")

    @Argument(help: "The device's serial number.")
    var serialNumber: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["expected-devices", serialNumber]
            _ = try await server.send(
                .delete, place, headers: server.headers(condition, place, as: ExpectedDevice.self))
        }
        try output.done(["serialNumber": serialNumber]) {
            "The device \(Printable.line(serialNumber)) is not expected any more."
        }
    }
}
