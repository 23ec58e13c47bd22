import AdminMessages
import ArgumentParser

/// The command `martlet assign`.
struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an app to a group.",
        discussion: """
            Assigning again replaces the configuration and the trust that is asked for; the app stays on the devices.

            On Linux an app is launched by the agent as a user of its own, or verified by its developer's signature where \
            it was started otherwise, or shares its user with other programs, as in development. It is given secrets only \
            if it is trusted as far as --lowest-trust says: launched, if nothing is said.
            """)

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("The configuration the app gets.", valueName: "name"))
    var configuration: String?

    @Option(
        help: ArgumentHelp(
            "How far a device with Linux must trust the app before it gives it a secret: launched, verified or shared.",
            valueName: "trust"))
    var lowestTrust: String?

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession {
            try await $0.put(
                AssignmentRequest(configuration: configuration, lowestTrust: lowestTrust), "assignments", group, app)
        }
        try output.print(Assignment(group: group, app: app, configuration: configuration, lowestTrust: lowestTrust)) {
            let with =
                configuration.map { " with the configuration \(Printable.line($0))" } ?? " without a configuration"
            return "\(Printable.line(group)) gets \(Printable.line(app))\(with)."
        }
    }
}
