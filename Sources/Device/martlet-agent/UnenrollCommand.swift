import ArgumentParser
import DeviceAgent

/// `martlet-agent unenroll`: ends the management from this side.
struct UnenrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unenroll", abstract: "Leave the server; everything it gave this device is removed.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        let (device, lock) = try settings.open()
        defer { withExtendedLifetime(lock) {} }
        guard device.known.enrollment != nil else { throw ValidationError("this device is not enrolled") }
        print(try await Unenroll.run(device) ? "left the server" : "left; the server could not be told")
    }
}
