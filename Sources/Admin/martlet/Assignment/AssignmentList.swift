package import AdminMessages
import ArgumentParser

/// The command `martlet assignment list`.
struct AssignmentList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the assignments.")

    @OptionGroup var output: Output

    func run() async throws {
        let (assignments, secrets) = try await Server.inSession { server in
            (
                try await server.list("assignments") as [Assignment],
                try await server.list("secret-assignments") as [SecretAssignment]
            )
        }
        let shown = AssignmentWithSecrets.all(assignments, secrets)
        try output.print(shown, nothing: "No assignments yet: martlet assign <group> <app>") {
            var table = Table(
                "GROUP", "APP", "PRIORITY", "INSTALL", "CONFIGURATION", "DELIVERY", "SECRETS", "LOWEST TRUST")
            for item in shown {
                table.add(
                    item.group, item.app, "\(item.priority ?? 0)", item.install, item.configurationText,
                    item.configuration == nil && item.delivery == nil ? nil : item.delivery ?? "framework",
                    item.secretsText,
                    item.secrets.isEmpty && item.lowestTrust == nil ? nil : item.lowestTrust ?? "launched")
            }
            return table
        }
    }
}

/// An assignment with the secrets that go with it, as `--json` prints it.
package struct AssignmentWithSecrets: Encodable, Sendable {
    package let group: String
    package let app: String
    package let configuration: String?
    /// Those of extensions, by their bundle identifiers; nothing where none has one.
    package let extensions: [String: String]?
    /// Nothing where it is the highest.
    package let lowestTrust: String?
    /// Nothing where the app's source says it.
    package let install: String?
    /// Nothing where it is 0.
    package let priority: Int?
    /// Nothing where it is by the framework.
    package let delivery: String?
    package let secrets: [AssignedSecret]

    /// A secret under the identifier by which the app, or its extension, asks for it.
    package struct AssignedSecret: Encodable, Sendable {
        package let `extension`: String?
        package let kind: AppSecretKind
        package let identifier: String
        package let secret: String
    }

    /// Puts each secret to the assignment it goes with.
    package static func all(
        _ assignments: [Assignment], _ secrets: [SecretAssignment]
    ) -> [AssignmentWithSecrets] {
        let byPlace = Dictionary(grouping: secrets) { [$0.group, $0.app] }
        return assignments.map { assignment in
            AssignmentWithSecrets(
                group: assignment.group, app: assignment.app, configuration: assignment.configuration,
                extensions: assignment.extensions, lowestTrust: assignment.lowestTrust,
                install: assignment.install, priority: assignment.priority, delivery: assignment.delivery,
                secrets: (byPlace[[assignment.group, assignment.app]] ?? []).map { item in
                    AssignedSecret(
                        extension: item.extension, kind: item.kind, identifier: item.identifier, secret: item.secret)
                })
        }
    }

    /// The configurations on one line, those of extensions with whose they are.
    package var configurationText: String? {
        let others = (extensions ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value) (\($0.key))" }
        let all = (configuration.map { [$0] } ?? []) + others
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    /// The identifiers on one line, those of extensions with whose they are.
    package var secretsText: String? {
        secrets.isEmpty
            ? nil
            : secrets.map { $0.identifier + ($0.extension.map { " (\($0))" } ?? "") }.joined(separator: ", ")
    }
}
