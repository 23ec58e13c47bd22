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

    /// One that the app's configuration names and that the device does not have.
    package struct Absence: Codable, Equatable, Sendable {
        /// Where it failed.
        package enum Place: String, Codable, Sendable {
            /// The server that keeps it, or the authority that issues it, did not deliver.
            case server
            /// What was delivered cannot be used here.
            case device
        }

        package let kind: SecretKind
        package let identifier: String
        package let place: Place

        package init(_ kind: SecretKind, _ identifier: String, _ place: Place) {
            self.kind = kind
            self.identifier = identifier
            self.place = place
        }
    }

    /// In the order of the administrator; no name comes twice among those of a kind.
    package let entries: [Entry]

    /// What the app was given and cannot have for now; none of these names is among the entries.
    package let absences: [Absence]

    /// Lists secrets.
    package init(_ entries: [Entry] = [], absences: [Absence] = []) {
        self.entries = entries
        self.absences = absences
    }

    /// Whether the app was given none.
    package var isEmpty: Bool { entries.isEmpty && absences.isEmpty }

    /// Those of one kind.
    package func of(_ kind: SecretKind) -> [Entry] { entries.filter { $0.kind == kind } }

    /// What a secret's value is kept under, if this app has it.
    package func digest(_ kind: SecretKind, _ identifier: String) -> String? {
        // By its bytes: a name that only looks the same is another.
        entries.first { $0.kind == kind && $0.identifier.utf8.elementsEqual(identifier.utf8) }?.digest
    }

    /// Whether the app was given a secret of this name, here or not.
    package func names(_ kind: SecretKind, _ identifier: String) -> Bool {
        digest(kind, identifier) != nil || absence(kind, identifier) != nil
    }

    /// Where it failed that the app does not have this secret; nil when it was not given to it at all.
    package func absence(_ kind: SecretKind, _ identifier: String) -> Absence.Place? {
        absences.first { $0.kind == kind && $0.identifier.utf8.elementsEqual(identifier.utf8) }?.place
    }
}
