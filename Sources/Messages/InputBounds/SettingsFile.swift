package import Foundation

/// The settings file of a program: one JSON object, of which the program knows every member.
///
/// A misspelled member would otherwise have no effect, and nobody would hear of it.
package struct SettingsFile: Sendable {
    private static let limits = InputLimits(bytes: 1_048_576, objects: 10_000)
    /// Unknown members that are named in one refusal.
    private static let most = 5

    /// One inside another is written with a dot: `log.level`.
    private let known: Set<String>
    private let path: String

    /// - Parameters:
    ///   - path: Where the file lies, as errors name it.
    ///   - known: The members that the program reads.
    package init(at path: String, known: Set<String>) {
        (self.path, self.known) = (path, known)
    }

    /// Judges what is in the file.
    ///
    /// - Parameter bytes: What is in the file; nothing if it is not there or cannot be read.
    /// - Returns: Why the program must not start with it; nothing if it may.
    package func refusal(of bytes: Data?) -> String? {
        guard let bytes else {
            return "The settings file \(path) cannot be read. It must be there, and this user must be able to read it."
        }
        let document: JSONValue
        do throws(InputRefusal) {
            document = try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            return "The settings file \(path) must be JSON: \(error.sentence)."
        }
        guard case .object(let members) = document else {
            return "The settings file \(path) must be one JSON object: {\"name\": value, …}."
        }
        let unknown = names(of: members, below: "").filter { !known.contains($0) }.sorted()
        guard !unknown.isEmpty else { return nil }
        var named = unknown.prefix(Self.most).map { name in
            "\"\(name)\"" + (NearestWord.to(name, among: known).map { " (did you mean \"\($0)\"?)" } ?? "")
        }
        if unknown.count > Self.most { named.append("\(unknown.count - Self.most) more") }
        let noun = unknown.count == 1 ? "a member that is" : "members that are"
        return """
            The settings file \(path) has \(noun) not known: \(named.joined(separator: ", ")). Correct or remove \
            \(unknown.count == 1 ? "it" : "them"); --help names the options, and members are \
            named like these in camel case; what may come more than once is a list with a name in the plural.
            """
    }

    /// What is an object is known by its members, unless it is known itself.
    private func names(of members: [String: JSONValue], below prefix: String) -> [String] {
        members.flatMap { name, value -> [String] in
            let name = prefix + name
            guard case .object(let inner) = value, known.contains(where: { $0.hasPrefix(name + ".") }) else {
                return [name]
            }
            return names(of: inner, below: name + ".")
        }
    }
}
