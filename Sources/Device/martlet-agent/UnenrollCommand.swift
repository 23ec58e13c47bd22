import ArgumentParser
import DeviceAgent

/// `martlet-agent unenroll`: ends the management from this side.
struct UnenrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unenroll",
        abstract: "End this device's enrollment, and remove everything that the server gave it.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        let farewell: Unenroll.Farewell
        if let (device, lock) = try settings.openUnlessInUse() {
            defer { withExtendedLifetime(lock) {} }
            guard device.known.enrollment != nil else { throw AgentFailure("this device is not enrolled") }
            farewell = try await Unenroll.run(device)
        } else if case .left(let known) = try settings.ask(.unenroll) {
            farewell = known
        } else {
            throw AgentFailure("the running agent is of another version", advice: "Restart it.")
        }
        switch farewell {
        case .told: print("left the server")
        case .endedBefore: print("left; the server had ended this device's enrollment already")
        case .untold:
            print(
                "left; the server could not be told: an administrator has to withdraw this device there before it "
                    + "enrolls again, unless that is done already")
        }
    }
}
