import AdminMessages
import AppSpecification
import ArgumentParser

/// The command `martlet app specification set`.
struct AppSpecificationSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Keep what an app publishes for one of its versions.",
        discussion: """
            Configurations are held against it from then on; those that are there already stay, and are named where \
            this version refuses them. The version is the one that the specification says, if none is given.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @Option(help: "The app's version, where the specification says none.")
    var version: String?

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let document = try SpecificationFile.read(specification)
        guard let version = version ?? document.app.version else {
            throw Failure(.refused, "the specification does not say of which version it is", advice: "Give --version.")
        }
        let answer: SpecificationSummary = try await Server.inSession { server in
            let place = ["apps", app, "specifications", version]
            let headers =
                condition.ifNone
                ? [("If-None-Match", "*")] : try await server.headers(condition.same, ofDocumentAt: place)
            return try await server.send(
                .put, place, body: .init(bytes: document.canonical(), mediaType: "application/json"), headers: headers
            ).decoded()
        }
        for warning in answer.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(answer) {
            "Configurations of \(Printable.line(app)) are held against version \(Printable.line(answer.version))."
        }
    }
}
