import InputBounds

/// What the organization's provider may call an administrator: in any language, or by any address of RFC 5322.
enum ProvidedName {
    /// The longest address that mail can have (RFC 5321, erratum 1690).
    private static let rule = NameRule(.composed, upTo: 254)

    /// The first rule that a text breaks, as the rest of a sentence.
    static func brokenRule(by name: String) -> String? {
        if let broken = rule.brokenRule(by: name) { return broken }
        if hasInvisible(name) { return "has no invisible characters" }
        guard case .administrator = Author(name) else {
            return "has a slash only before the @ of an address, as what follows it would be an API token's name"
        }
        return nil
    }

    /// Whether a name has invisible characters, by which it could look like another.
    ///
    /// Some scripts join and part letters so; ASCII does not.
    private static func hasInvisible(_ name: String) -> Bool {
        var before: Unicode.Scalar?
        for scalar in name.unicodeScalars {
            let followsOther = before.map { !$0.isASCII } ?? false
            let joins = followsOther && (scalar.value == 0x200C || scalar.value == 0x200D)
            let properties = scalar.properties
            let isInvisible = properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
            guard joins || !isInvisible else { return true }
            before = scalar
        }
        return false
    }
}
