import ArgumentParser
import DeviceAgent

/// `martlet-agent chip`: by what an administrator can expect this device.
struct ChipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chip",
        abstract: "Print the SHA-256 of the TPM's endorsement key, by which a server can expect this device.",
        discussion: "For martlet device expect --chip.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        guard let tpm = settings.tpm else { throw AgentFailure("this device has no TPM, or none that was named") }
        do {
            print(try await ChipName.of(tpm))
        } catch {
            throw AgentFailure("this device's TPM does not answer")
        }
    }
}
