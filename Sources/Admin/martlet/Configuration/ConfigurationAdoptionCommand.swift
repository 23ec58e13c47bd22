import AdminMessages
import ArgumentParser

/// The command `martlet configuration adoption`.
struct ConfigurationAdoptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adoption", abstract: "Show on how many devices the versions of a configuration are.",
        discussion: "With --json it says, too, on how many they were, by the hour in the last weeks.")

    @OptionGroup var configuration: ConfigurationName

    @OptionGroup var output: Output

    func run() async throws {
        let adoption: ConfigurationAdoption = try await Server.inSession {
            try await $0.get("apps", configuration.app, "configurations", configuration.name, "adoption")
        }
        try output.print(adoption) {
            var table = Table("VERSION", "DEVICES", "SINCE", "EXTENSION")
            for version in adoption.versions {
                let first = adoption.points.first {
                    $0.extension == version.extension && $0.version == version.version && $0.devices > 0
                }
                table.add("\(version.version)", "\(version.devices)", first?.time.shown, version.extension)
            }
            return table.isEmpty
                ? "No device has said yet that it has \(configuration.text)."
                : table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}
