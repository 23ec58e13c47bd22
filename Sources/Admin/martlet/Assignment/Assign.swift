import AdminMessages
import ArgumentParser

/// The command `martlet assign`.
struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an app to a group, or change how it has it.",
        discussion: """
            Assigning again changes what is mentioned; everything else stays as it was, and so does the app on the \
            devices. To take something away, use an option as well:

              martlet assign teachers com.example.app --configuration main
              martlet assign teachers com.example.app --priority 10
              martlet assign teachers com.example.app --no-configuration

            An extension of the app gets one of the app's configurations of its own, and nothing of what the app gets:

              martlet assign teachers com.example.app --configuration main --extension com.example.app.tunnel=tunnel
              martlet assign teachers com.example.app --no-extension com.example.app.tunnel

            On Linux an app is launched by the agent as a user of its own, or verified by its developer's signature where \
            it was started otherwise, or shares its user with other programs, as in development. It gets secrets only if \
            its trust reaches --lowest-trust, which is launched by default.

            An app that reads its configuration from its user defaults, under com.apple.configuration.managed, gets it with \
            --delivery defaults, or with both while some versions read it so and others by the framework. That dictionary \
            is readable while the device is locked: it is no place for secrets. Extensions have none.

              martlet assign teachers com.example.app --delivery both

            Where several groups of a device assign the app, the one with the highest --priority counts, and of several with \
            the same the one made last: martlet device explain says which, and why. One that is changed keeps its place.

            What a version of the app that is on the group's devices would refuse is not assigned, unless that is forced. \
            The same goes for values of such a dictionary that look like secrets.
            """)

    @Argument(help: "The group's name.")
    var group: String

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var options: AssignmentOptions

    @Flag(
        help: """
            Do so although a version of the app on the group's devices refuses the configuration, or a value delivered as \
            user defaults looks like a secret.
            """)
    var force = false

    @Flag(help: "Say what there is to say about it, and assign nothing.")
    var dryRun = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let query = [("force", force), ("dryRun", dryRun)].filter(\.1).map { ($0.0, "true") }
        let assignment: Assignment = try await Server.inSession { server in
            let place = ["assignments", group, app]
            do {
                return try await server.send(
                    .patch, place, query: query, body: .init(patch: options.patch),
                    headers: server.headers(condition, place, as: Assignment.self)
                ).decoded()
            } catch let failure as Failure {
                throw failure.naming(options.extensions.isEmpty ? options.configuration : nil)
            }
        }
        for warning in assignment.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(assignment) { AssignmentText.made(assignment, isDryRun: dryRun) }
    }
}
