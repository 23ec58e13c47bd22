package import InputBounds

/// What the commands that manage apps may bring at most.
package enum AppCommandBounds {
    /// A configuration, or attributes, as an XML property list: what fits into a command together with everything else.
    package static let dictionary = InputLimits(bytes: 100_000, depth: 16, objects: 20_000)
    /// The most bytes of a bundle identifier.
    package static let longestIdentifier = 255
    /// The most bytes of a manifest's address.
    package static let longestURL = 2_048
    /// The most apps, or settings, of one command.
    package static let most = 1_000

    /// Refuses a dictionary that is larger or deeper than one may be; `key` names it.
    package static func check(_ value: PropertyListValue, key: String) throws(InputRefusal) {
        guard value.dictionary != nil else { throw InputRefusal("the key \(key) is not a dictionary") }
        // Before it is written: writing goes as deep as the value does.
        guard isWithin(value, depth: dictionary.depth) else {
            throw InputRefusal("the key \(key) is a dictionary that nests at most \(dictionary.depth) deep: nest less")
        }
        let bytes = value.xml().count
        guard bytes <= dictionary.bytes else {
            throw InputRefusal(
                "the key \(key) has at most \(dictionary.bytes) bytes as a property list, and this has \(bytes): send less"
            )
        }
    }

    private static func isWithin(_ value: PropertyListValue, depth: Int) -> Bool {
        switch value {
        case .dictionary(let entries): depth > 0 && entries.values.allSatisfy { isWithin($0, depth: depth - 1) }
        case .array(let items): depth > 0 && items.allSatisfy { isWithin($0, depth: depth - 1) }
        default: true
        }
    }
}

extension Fields<PropertyListValue> {
    /// A bundle identifier: 1 to 255 bytes.
    func appIdentifier(_ key: String) throws(InputRefusal) -> String {
        guard let identifier = try appIdentifierIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        return identifier
    }

    func appIdentifierIfPresent(_ key: String) throws(InputRefusal) -> String? {
        guard let identifier = try stringIfPresent(key, limit: AppCommandBounds.longestIdentifier) else { return nil }
        guard !identifier.isEmpty else { throw InputRefusal("the key \(key) is empty") }
        return identifier
    }

    /// A dictionary within the bounds of one that a command brings.
    func boundedDictionaryIfPresent(_ key: String) throws(InputRefusal) -> PropertyListValue? {
        guard let value = entries[key] else { return nil }
        try AppCommandBounds.check(value, key: key)
        return value
    }
}
