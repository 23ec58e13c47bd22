package import Configuration
import Foundation
import InputBounds

/// The settings with which a service starts: a file, which is its usual one unless another is named, and the environment.
package struct ServiceSettings: Sendable {
    /// Why a service must not start with its settings file, as a sentence for people.
    package struct Refusal: Error, Equatable {
        package let sentence: String
    }

    private let path: String
    private let isNamed: Bool
    let members: [String: Member]
    private static let limits = InputLimits(bytes: 1_048_576, objects: 10_000)
    /// Values that are named in one refusal.
    private static let most = 5
    /// The levels of logging that a service can be given; `critical` would hide every error.
    package static let logLevels = ["trace", "debug", "info", "notice", "warning", "error"]

    /// - Parameters:
    ///   - named: The path of a file that an option or a variable names; that file must exist.
    ///   - usual: The path of the service's usual file, which may be missing.
    ///   - members: The members that the service reads; one inside another is written with a dot: `log.level`.
    package init(named: String?, usual: String, members: [String: Member]) {
        (path, isNamed, self.members) = (named ?? usual, named != nil, members)
    }

    /// What the file says.
    ///
    /// Throws a refusal that names the file where it is not one of settings, or is named and not there.
    package func read() async throws(Refusal) -> FileProvider<JSONSnapshot> {
        if isNamed || FileManager.default.fileExists(atPath: path) {
            let bytes = FileManager.default.contents(atPath: path)
            let file = SettingsFile(at: path, known: Set(members.keys))
            if let sentence = file.refusal(of: bytes) ?? refusalOfValues(in: bytes) {
                throw Refusal(sentence: sentence)
            }
        }
        let place = InMemoryProvider(values: [
            "filePath": .init(stringLiteral: path), "allowMissing": .init(booleanLiteral: !isNamed),
        ])
        do {
            return try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
        } catch {
            throw Refusal(sentence: "The settings file \(path) cannot be read.")
        }
    }

    /// Why the service must not start with the values in the file; nothing if it may.
    private func refusalOfValues(in bytes: Data?) -> String? {
        guard let bytes, case .object(let found)? = try? JSONValue(parsing: bytes, limits: Self.limits) else {
            return nil
        }
        let wrong = values(of: found, below: "").sorted { $0.name < $1.name }.compactMap { name, value -> String? in
            guard let refusal = members[name]?.refusal(of: value) else { return nil }
            return "\"\(name)\" must be \(refusal)"
        }
        return Self.sentence("The settings file \(path)", wrong)
    }

    /// One sentence of all that is wrong; nothing where nothing is.
    static func sentence(_ place: String, _ wrong: [String]) -> String? {
        guard !wrong.isEmpty else { return nil }
        let more = wrong.count > most ? ["\(wrong.count - most) more"] : []
        return """
            \(place) has \(wrong.count == 1 ? "a value" : "values") that cannot be used: \
            \((wrong.prefix(most) + more).joined(separator: "; ")). Correct or remove \
            \(wrong.count == 1 ? "it" : "them").
            """
    }

    /// Each member that the service reads, with its value.
    private func values(of found: [String: JSONValue], below prefix: String) -> [(name: String, value: JSONValue)] {
        found.flatMap { name, value -> [(name: String, value: JSONValue)] in
            let name = prefix + name
            guard members[name] == nil, case .object(let inner) = value else { return [(name, value)] }
            return values(of: inner, below: name + ".")
        }
    }
}
