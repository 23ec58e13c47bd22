import AdminMessages
import AppSpecification
import ArgumentParser
import Foundation
import NIOHTTP1

/// The command `martlet app specification set`.
struct AppSpecificationSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Keep what an app publishes for one of its versions.",
        discussion: """
            The server checks configurations against it from then on. Present configurations stay; the command names \
            those that this version refuses. Without --version it is for the version in the specification. It replaces \
            another specification for the same version only with --replace or --if-same: the server keeps no earlier \
            ones.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @Option(help: "The app's version, where the specification says none.")
    var version: String?

    @Flag(help: "Replace another specification of the same version.")
    var replace = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let document = try SpecificationFile.read(specification)
        guard let version = version ?? document.app.version else {
            throw Failure(.refused, "the specification does not say of which version it is", advice: "Give --version.")
        }
        let answer: SpecificationSummary = try await Server.inSession { server in
            let place = ["apps", app, "specifications", version]
            let bytes = document.canonical()
            return try await server.send(
                .put, place, body: .init(bytes: bytes, mediaType: "application/json"),
                headers: headers(server, place, for: bytes)
            ).decoded()
        }
        for warning in answer.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        try output.print(answer) {
            "Configurations of \(Printable.line(app)) must match version \(Printable.line(answer.version))."
        }
    }

    /// What must be there for the document to take its place; another one is not replaced unless somebody says so.
    private func headers(_ server: Server, _ place: [String], for bytes: Data) async throws -> [(String, String)] {
        if condition.ifNone { return [("If-None-Match", "*")] }
        if condition.same.ifSame != nil { return try await server.headers(condition.same, ofDocumentAt: place) }
        guard !replace else { return [] }
        do {
            let present = try await server.send(.get, place)
            guard present.body == bytes else {
                throw Failure(
                    .refused, "there is another specification of this version; nothing was changed",
                    advice: "martlet app specification show writes it; --replace replaces it.")
            }
            return present.headers.first(name: "ETag").map { [("If-Match", $0)] } ?? []
        } catch let failure as Failure where failure.status == .notFound {
            return [("If-None-Match", "*")]
        }
    }
}
