import AppSpecification

/// What `${device.…}` and `${person.…}` stand for in what a device is given.
package struct DeviceVariables: Sendable {
    /// The known names, without their braces.
    package static let names = deviceNames + Person.variableNames

    private static let deviceNames = [
        "device.model", "device.name", "device.osVersion", "device.productName", "device.serialNumber", "device.udid",
    ]

    /// Whether there is such a variable: a known name, or that of an attribute, which any device may have.
    static func isKnown(_ name: String) -> Bool { names.contains(name) || AttributeSet.isVariable(name) }

    /// Whether a variable is of the device itself, and not of its person.
    static func isOfDevice(_ name: String) -> Bool { name.hasPrefix("device.") }

    /// Whether a variable has another value only after a new enrollment.
    static func isFixed(_ name: String) -> Bool { isOfDevice(name) && !AttributeSet.isVariable(name) }

    /// Those that have a value.
    package let values: [String: String]

    package init(of device: Device, person: Person? = nil) {
        self.init(device: device.id, facts: device.facts, attributes: device.attributes, person: person)
    }

    package init(_ sources: ValueSources) {
        self.init(
            device: sources.device, facts: sources.facts, attributes: sources.attributes, person: sources.person)
    }

    private init(device: String, facts: DeviceFacts, attributes: AttributeSet, person: Person?) {
        var values = (person?.variables ?? [:]).merging(attributes.variables) { first, _ in first }
        values["device.udid"] = device
        values["device.model"] = facts.model
        values["device.name"] = facts.deviceName
        values["device.osVersion"] = facts.osVersion
        values["device.productName"] = facts.productName
        values["device.serialNumber"] = facts.serialNumber
        // What a device says of itself may be anything.
        self.values = values.filter { !$0.value.isEmpty && VariableText.isSuitable($0.value) }
    }

    /// The first rule that a text's variables break; `isSecret` keeps the text itself out of it.
    package static func brokenRule(in text: String, isSecret: Bool = false) -> String? {
        guard let text = VariableText(text) else {
            return "has a ${ without its }; the characters themselves are written $${"
        }
        guard let unknown = text.variables.first(where: { !isKnown($0) }) else { return nil }
        // A known name that is like it repeats nothing of the text.
        let nearest = nearestName(to: unknown).map { " (did you mean ${\($0)}?)" } ?? ""
        if isSecret {
            return "has a variable that is not known\(nearest); a text of its own is written with two $, as in $${name}"
        }
        let name = shown(unknown)
        return "has a variable that is not known, ${\(name)}\(nearest); a text of the app's own is written $${\(name)}"
    }

    /// The name in a refusal: its first 40 characters, without control characters.
    private static func shown(_ name: String) -> String {
        let plain = name.unicodeScalars.prefix(40).filter { VariableText.isSuitable(String($0)) }
        return String(String.UnicodeScalarView(plain)) + (name.unicodeScalars.count > 40 ? "…" : "")
    }

    /// The names of a text's variables; none of a text that cannot be cut.
    package static func used(in text: String) -> [String] {
        VariableText(text)?.variables ?? []
    }

    /// The text with the device's values, or nothing if it has none for a variable.
    ///
    /// A text that cannot be cut is as old as the rule that refuses it, and is given as it is.
    package func filled(_ text: String) -> String? {
        guard let parts = VariableText(text) else { return text }
        return parts.filled(values)
    }

    // MARK: Suggestions

    /// AppConfig's names, and ours for the same.
    private static let others = [
        "cn": "person.fullName", "displayname": "person.fullName", "dn": "person.distinguishedName",
        "emailaddress": "person.email", "mail": "person.email", "emailaddressdomain": "person.emailDomain",
        "emailaddresslocalpart": "person.emailLocalPart", "ou": "person.department",
        "samaccountname": "person.accountName", "username": "person.userName", "upn": "person.principalName",
    ]

    /// The known name that is most like another one, if any is.
    package static func nearestName(to name: String) -> String? {
        // A hostile name must not cost much.
        guard name.utf8.count <= 64 else { return nil }
        let wanted = Array(name.lowercased().utf8)
        let last = wanted.split(separator: UInt8(ascii: ".")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let known = others[last] ?? ForeignVariable.first(in: "{{\(last)}}")?.ours { return known }
        let ranked = names.map { known in (known, distance(wanted, Array(known.lowercased().utf8))) }
        if let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= 3 { return best.0 }
        guard last.utf8.count >= 3 else { return nil }
        let parts = names.map { ($0, $0.lowercased()) }
        return (parts.first { $0.1.hasSuffix("." + last) } ?? parts.first { $0.1.contains("." + last) })?.0
    }

    /// How many letters have to be added, removed or replaced.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
