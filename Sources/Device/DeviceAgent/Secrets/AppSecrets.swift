package import AppMessages

/// Which secrets an app may ask for: their names and what their values are kept under, without the values.
package struct AppSecrets: Equatable, Sendable {
    /// One secret by the name that the app knows it by.
    package struct Entry: Codable, Equatable, Sendable {
        package let kind: SecretKind
        package let identifier: String

        /// The SHA-256 of the content in the sealed store; another whenever the value is another.
        package let digest: String

        package init(_ kind: SecretKind, _ identifier: String, digest: String) {
            self.kind = kind
            self.identifier = identifier
            self.digest = digest
        }
    }

    /// In the order of the administrator; no name comes twice among those of a kind.
    package let entries: [Entry]

    /// Lists secrets.
    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// Those of one kind.
    package func of(_ kind: SecretKind) -> [Entry] { entries.filter { $0.kind == kind } }

    /// What a secret's value is kept under, if this app has it.
    package func digest(_ kind: SecretKind, _ identifier: String) -> String? {
        // By its bytes: a name that only looks the same is another.
        entries.first { $0.kind == kind && $0.identifier.utf8.elementsEqual(identifier.utf8) }?.digest
    }
}
