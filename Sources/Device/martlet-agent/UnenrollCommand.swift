import ArgumentParser
import DeviceAgent

/// `martlet-agent unenroll`: ends the management from this side.
struct UnenrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unenroll", abstract: "Leave the server; everything it gave this device is removed.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        let told: Bool
        if let (device, lock) = try settings.openUnlessInUse() {
            defer { withExtendedLifetime(lock) {} }
            guard device.known.enrollment != nil else { throw AgentFailure("this device is not enrolled") }
            told = try await Unenroll.run(device)
        } else if case .left(let said) = try settings.ask(.unenroll) {
            told = said
        } else {
            throw AgentFailure("the running agent is of another version", advice: "Restart it.")
        }
        print(
            told
                ? "left the server"
                : "left; the server could not be told: an administrator has to withdraw this device there before it "
                    + "enrolls again")
    }
}
