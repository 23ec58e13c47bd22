import AdminMessages
import Foundation

/// Says what the server would say about a configuration, and sets nothing.
enum ConfigurationDryRun {
    static func check(_ bytes: Data, as configuration: ConfigurationName, _ output: Output) async throws {
        let check: ConfigurationCheck = try await Server.inSession { server in
            try await server.send(
                .post, ["apps", configuration.app, "configuration-check"],
                query: [("configuration", configuration.name)],
                body: .init(bytes: bytes, mediaType: "application/x-plist")
            ).decoded()
        }
        try output.print(check) {
            let lines =
                check.errors.map { "error: \(Printable.line($0.sentence))" }
                + check.warnings.map { "warning: \(Printable.line($0))" }
            return lines.isEmpty ? "Nothing to be said against it. Nothing was set." : lines.joined(separator: "\n")
        }
        guard check.errors.isEmpty else {
            throw Failure(.refused, "the configuration would be refused; nothing was set")
        }
    }
}
