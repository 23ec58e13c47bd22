/// An app the fleet may run.
package struct App: Sendable, Equatable {
    package let bundleIdentifier: String
    package let name: String
    package let teamIdentifier: String?
    /// Raised to make devices check for an update although nothing else changed.
    package let revision: Int

    package init(bundleIdentifier: String, name: String, teamIdentifier: String?, revision: Int = 0) {
        self.bundleIdentifier = bundleIdentifier
        self.name = name
        self.teamIdentifier = teamIdentifier
        self.revision = revision
    }

    /// The first rule the app breaks, if it breaks one.
    package var refusal: AdminRefusal? {
        if !Self.isReverseDNS(bundleIdentifier) {
            return .invalid(
                rule: "A bundle identifier is two or more parts of letters, digits and hyphens, joined by dots, "
                    + "of at most 155 characters.")
        }
        if name.isEmpty || name.utf8.count > 256 || name.unicodeScalars.contains(where: { $0.value < 32 }) {
            return .invalid(rule: "An app's name is 1 to 256 bytes without control characters.")
        }
        if let teamIdentifier, !Self.isTeamIdentifier(teamIdentifier) {
            return .invalid(rule: "A team identifier is 1 to 32 capital letters and digits.")
        }
        return nil
    }

    static func isReverseDNS(_ text: String) -> Bool {
        guard (1...155).contains(text.utf8.count) else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(isNameByte) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isTeamIdentifier(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}
