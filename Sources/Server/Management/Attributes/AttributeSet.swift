import AppSpecification

/// What administrators say of a device beside what it says of itself, such as its location and its asset tag.
///
/// Each attribute is a variable, such as `${device.attributes.location}`, and a fact of group rules by the same name.
package struct AttributeSet: Sendable, Equatable {
    /// The texts by their keys.
    package let values: [String: String]

    package init(_ values: [String: String] = [:]) { self.values = values }

    /// The attributes as variables, by the names of these.
    var variables: [String: String] {
        values.reduce(into: [:]) { variables, entry in variables[Self.variable(entry.key)] = entry.value }
    }

    /// The keys whose values differ between the two, in their order.
    func keys(changedFrom before: AttributeSet) -> [String] {
        Set(values.keys).union(before.values.keys).filter { values[$0] != before.values[$0] }.sorted()
    }

    // MARK: Rules

    /// The first rule that the attributes break, as a part of a sentence; their values stay out of it.
    package var brokenRule: String? {
        guard values.count <= AttributeLimits.keys else {
            return "a device has at most \(AttributeLimits.keys) attributes"
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard Self.isKey(key) else { return Self.keyRule }
            if let rule = Self.rule(brokenBy: value) { return "the attribute “\(key)” \(rule)" }
        }
        return nil
    }

    /// Names the device in a table, and so no attribute.
    static let deviceColumn = "device"

    static let keyRule =
        "an attribute’s key is a small letter and up to \(AttributeLimits.keyBytes - 1) letters and digits behind it, and "
        + "not “\(deviceColumn)”"

    /// Whether a text may be the key of an attribute.
    package static func isKey(_ text: String) -> Bool {
        guard text.utf8.count <= AttributeLimits.keyBytes, text != deviceColumn, let first = text.utf8.first else {
            return false
        }
        return isSmall(first) && text.utf8.allSatisfy { isSmall($0) || isOther($0) }
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isOther(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func rule(brokenBy value: String) -> String? {
        guard (1...AttributeLimits.valueBytes).contains(value.utf8.count) else {
            return "is 1 to \(AttributeLimits.valueBytes) bytes"
        }
        guard VariableText.isSuitable(value) else { return "has no control characters" }
        guard value.first?.isWhitespace == false, value.last?.isWhitespace == false else {
            return "neither begins nor ends with a space"
        }
        return nil
    }

    // MARK: Variables

    private static let prefix = "device.attributes."

    /// The name of the variable that stands for an attribute.
    package static func variable(_ key: String) -> String { prefix + key }

    /// Whether a variable stands for an attribute, be it of any device or of none.
    static func isVariable(_ name: String) -> Bool {
        name.hasPrefix(prefix) && isKey(String(name.dropFirst(prefix.count)))
    }
}

/// The bounds of what is kept of devices' attributes.
package enum AttributeLimits {
    /// Attributes of one device.
    package static let keys = 32
    package static let keyBytes = 32
    package static let valueBytes = 1_024
    /// Devices of one table: they are changed in one transaction, for which other changes wait.
    package static let tableDevices = 2_000
}
