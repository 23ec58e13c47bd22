import AdminMessages
import ArgumentParser

/// The command `martlet assign`.
struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an app to a group.",
        discussion: """
            Assigning again replaces the configurations and the trust that is asked for; the app stays on the devices.

            An extension of the app gets one of the app's configurations of its own, and nothing of what the app gets:

              martlet assign teachers com.example.app --configuration main --extension com.example.app.tunnel=tunnel

            On Linux an app is launched by the agent as a user of its own, or verified by its developer's signature where \
            it was started otherwise, or shares its user with other programs, as in development. It is given secrets only \
            if it is trusted as far as --lowest-trust says: launched, if nothing is said.

            Where several groups of a device assign the app, the one with the highest --priority counts, and of several with \
            the same the one made last: martlet device explain says which, and why.

            What a version of the app that is on the group's devices would refuse is not assigned, unless that is forced.
            """)

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("The configuration the app gets.", valueName: "name"))
    var configuration: String?

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "The configuration that an extension of the app gets; may be repeated.", valueName: "bundle=name"))
    var extensions: [ExtensionConfiguration] = []

    @Option(
        help: ArgumentHelp(
            "How far a device with Linux must trust the app before it gives it a secret: launched, verified or shared.",
            valueName: "trust"))
    var lowestTrust: String?

    @Option(
        help: ArgumentHelp(
            "Whether devices must have the app, or their users may: required or optional; without it the app's source says.",
            valueName: "how"))
    var install: String?

    @Option(help: ArgumentHelp("From -1000 to 1000: the highest of several assignments counts.", valueName: "number"))
    var priority: Int?

    @Flag(help: "Do so although a version of the app on the group's devices refuses the configuration.")
    var force = false

    @Flag(help: "Say what there is to say about it, and assign nothing.")
    var dryRun = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func validate() throws {
        guard Set(extensions.map(\.bundle)).count == extensions.count else {
            throw ValidationError("an extension gets one configuration")
        }
    }

    func run() async throws {
        let named = Dictionary(extensions.map { ($0.bundle, $0.configuration) }) { first, _ in first }
        let request = AssignmentRequest(
            configuration: configuration, extensions: named.isEmpty ? nil : named, lowestTrust: lowestTrust,
            install: install, priority: priority)
        let query = [("force", force), ("dryRun", dryRun)].filter(\.1).map { ($0.0, "true") }
        let assignment: Assignment = try await Server.inSession { server in
            let place = ["assignments", group, app]
            return try await server.send(
                .put, place, query: query, body: .init(json: request),
                headers: server.headers(condition, place, as: Assignment.self)
            ).decoded()
        }
        for warning in assignment.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(assignment) {
            let with =
                configuration.map { " with the configuration \(Printable.line($0))" } ?? " without a configuration"
            let others = extensions.map { ", \(Printable.line($0.bundle)) with \(Printable.line($0.configuration))" }
            return
                "\(Printable.line(group)) \(dryRun ? "would get" : "gets") \(Printable.line(app))\(with)\(others.joined())."
        }
    }
}

/// An extension and the configuration that it gets, as `com.example.app.tunnel=tunnel`.
package struct ExtensionConfiguration: ExpressibleByArgument, Equatable, Sendable {
    package let bundle: String
    package let configuration: String

    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        bundle = String(parts[0])
        configuration = String(parts[1])
    }
}
