import AdminMessages
import ArgumentParser
import Foundation
import InputBounds
import JSONSchema

/// The command `martlet configuration diff`.
struct ConfigurationDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say in which keys two versions of a configuration differ, or the newest and a file.",
        discussion: "Values are shown with --values alone, as in the plan of apply.")

    @OptionGroup var configuration: ConfigurationName

    @Option(
        help: ArgumentHelp(
            "The version before (the one before the newest; with --file the newest).", valueName: "version"))
    var from: Int?

    @Option(help: ArgumentHelp("The version after (the newest).", valueName: "version"))
    var to: Int?

    @Option(
        help: ArgumentHelp(
            "Compare with this file, as configuration set would take it; - is standard input.", valueName: "FILE"),
        completion: .file())
    var file: String?

    @Flag(help: "Show the values, too.")
    var values = false

    @OptionGroup var output: Output

    func validate() throws {
        try OneOption.atMost(["--to": to != nil, "--file": file != nil])
    }

    func run() async throws {
        let differences: [KeyDifference]
        if let file {
            let input = try ConfigurationDocument.input(at: file)
            let document = try await ConfigurationDocument.read(
                input, as: ConfigurationDocument.form(of: input, path: file), of: configuration.app)
            let before = try await Server.inSession { try await value(of: from, at: $0) }
            differences = KeyDifference.all(from: before, to: try Self.value(document.bytes))
        } else {
            differences = try await Server.inSession { server in
                let before = try await value(of: versionBefore(server), at: server)
                return KeyDifference.all(from: before, to: try await value(of: to, at: server))
            }
        }
        try output.print(differences.map { try ConfigurationDiffReport($0, showsValues: values) }) {
            guard !differences.isEmpty else { return "Nothing differs." }
            return differences.map { $0.keyText + (values ? $0.valuesText : "") }.joined(separator: "\n")
        }
    }

    /// The version to compare with, where the administrator names none: the one before the other.
    private func versionBefore(_ server: Server) async throws -> Int {
        if let from { return from }
        let versions: [ConfigurationVersion] = try await server.list(
            "apps", configuration.app, "configurations", configuration.name, "versions")
        let older = versions.map(\.version).filter { version in to.map { version < $0 } ?? true }.sorted(by: >)
        guard let before = to == nil ? older.dropFirst().first : older.first else {
            let only = versions.count == 1 ? versions.first?.version : nil
            throw Failure(
                .refused,
                only.map { "\(configuration.text) has only version \($0)" }
                    ?? "no version of \(configuration.text) is older than that one",
                advice: "martlet configuration history lists the versions; --file compares with a file.")
        }
        return before
    }

    /// What a version holds; the newest where none is named.
    private func value(of version: Int?, at server: Server) async throws -> PropertyListValue {
        let path = configuration.path + (version.map { ["versions", "\($0)"] } ?? [])
        return try Self.value(try await server.send(.get, path).body)
    }

    private static func value(_ bytes: Data) throws(Failure) -> PropertyListValue {
        do throws(InputRefusal) {
            return try PropertyListValue(parsing: bytes, limits: .configuration)
        } catch {
            throw Failure(.failed, error.sentence)
        }
    }
}

/// A difference as programs read it.
struct ConfigurationDiffReport: Encodable {
    let path: String
    let change: String
    let old, new: JSON?

    init(_ difference: KeyDifference, showsValues: Bool) throws {
        (path, change) = (difference.path.description, difference.change.rawValue)
        old = try showsValues ? difference.old.map(Self.json) : nil
        new = try showsValues ? difference.new.map(Self.json) : nil
    }

    private static func json(_ value: PropertyListValue) throws -> JSON {
        try AdminJSON.decode(JSON.self, from: JSONValue(describing: value).encoded())
    }
}
