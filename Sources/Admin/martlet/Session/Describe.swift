import ArgumentParser
import Foundation

/// The command `martlet openapi`.
struct Describe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Print the description of the server's API (OpenAPI 3.1, JSON).")

    @Flag(help: "The page for people instead.")
    var html = false

    func run() async throws {
        let answer = try await Server.inSession { try await $0.send(.get, [html ? "reference" : "openapi.json"]) }
        Terminal.write(answer.body + Data("\n".utf8))
    }
}
