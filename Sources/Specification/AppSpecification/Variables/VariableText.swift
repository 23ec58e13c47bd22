/// A text with variables such as `${person.email}`, cut into its parts once.
///
/// `$${` stands for `${` itself. What a variable stands for is never looked at again: a value that looks like a variable
/// is that text.
package struct VariableText: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case plain(String)
        case variable(String)
    }

    package let parts: [Part]

    /// Nothing when a `${` has no `}`.
    package init?(_ text: String) {
        var parts: [Part] = []
        var plain: [UInt8] = []
        let bytes = Array(text.utf8)
        let escape = Array("$${".utf8)
        let beginning = Array("${".utf8)
        var place = 0
        while place < bytes.count {
            if bytes[place...].starts(with: escape) {
                plain += beginning
                place += 3
            } else if bytes[place...].starts(with: beginning) {
                guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
                if !plain.isEmpty { parts.append(.plain(String(decoding: plain, as: UTF8.self))) }
                plain = []
                parts.append(.variable(String(decoding: bytes[(place + 2)..<end], as: UTF8.self)))
                place = end + 1
            } else {
                plain.append(bytes[place])
                place += 1
            }
        }
        if !plain.isEmpty { parts.append(.plain(String(decoding: plain, as: UTF8.self))) }
        self.parts = parts
    }

    /// Whether a text has to be filled in: it has a variable, or `${` written as `$${`.
    package static func isTemplate(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            if last == UInt8(ascii: "$"), byte == UInt8(ascii: "{") { return true }
            last = byte
        }
        return false
    }

    /// The names of its variables, in their order.
    package var variables: [String] {
        parts.compactMap { part in
            guard case .variable(let name) = part else { return nil }
            return name
        }
    }

    /// The text with these values, or nothing if one is missing.
    package func filled(_ values: [String: String]) -> String? {
        var filled = ""
        for part in parts {
            switch part {
            case .plain(let text): filled += text
            case .variable(let name):
                guard let value = values[name] else { return nil }
                filled += value
            }
        }
        return filled
    }

    /// Whether a text may stand for a variable: property lists and certificates have no form for control characters.
    package static func isSuitable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
