import Foundation

/// Which texts are names of one kind: the characters that they may have, and their length.
///
/// A name that is taken is kept and compared by its bytes. Swift takes two forms of Unicode for one text, the database,
/// JSON and the kernel do not; of names that this takes, two are equal to Swift only where their bytes are. What is not
/// so is refused where it comes in, and never converted.
package struct NameRule: Hashable, Sendable {
    /// What stands in a name.
    package enum Characters: Hashable, Sendable {
        /// Letters and digits of ASCII, and these other characters of it: what stands in addresses and logs as it is.
        case word(and: String)
        /// Printable ASCII without spaces: what devices and protocols choose.
        case visible
        /// Printable ASCII, with spaces inside.
        case printable
        /// What people choose: any language, in composed form (NFC), of the characters that Unicode 15 has.
        case composed
    }

    package let characters: Characters
    /// In bytes of UTF-8.
    package let longest: Int

    package init(_ characters: Characters, upTo longest: Int) {
        self.characters = characters
        self.longest = longest
    }

    /// Whether a text is such a name.
    package func takes(_ name: String) -> Bool { brokenRule(by: name) == nil }

    /// The first rule that a text breaks, as the rest of a sentence: “has no control characters”.
    package func brokenRule(by name: String) -> String? {
        ruleOfCharacters(brokenBy: name) ?? (isStep(name) ? Self.stepRule : nil)
    }

    /// Whether a name is a step where it stands in an address: browsers and proxies take it, however it is escaped.
    ///
    /// A printable name stands in none: a serial number that a device states, a provider's subject.
    private func isStep(_ name: String) -> Bool { characters != .printable && (name == "." || name == "..") }

    private static let stepRule = "is neither . nor .., which are steps in an address"

    private func ruleOfCharacters(brokenBy name: String) -> String? {
        switch characters {
        case .word(let others):
            let isWord = name.utf8.allSatisfy { Self.isLetterOrDigit($0) || others.utf8.contains($0) }
            return fits(name) && isWord
                ? nil : "is 1 to \(longest) letters, digits and \(others.map(String.init).joined(separator: " "))"
        case .visible:
            return fits(name) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? nil : "is 1 to \(longest) printable ASCII characters without spaces"
        case .printable:
            return fits(name) && Self.isPrintable(name)
                ? nil : "is 1 to \(longest) printable ASCII characters that neither begin nor end with a space"
        case .composed:
            guard fits(name) else { return "is 1 to \(longest) bytes" }
            return Self.isPrintable(name) ? nil : Self.ruleOfComposed(brokenBy: name)
        }
    }

    private func fits(_ name: String) -> Bool { (1...longest).contains(name.utf8.count) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isPrintable(_ name: String) -> Bool {
        let space = UInt8(ascii: " ")
        return name.utf8.first != space && name.utf8.last != space
            && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func ruleOfComposed(brokenBy name: String) -> String? {
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control: return "has no control characters"
            case .lineSeparator, .paragraphSeparator: return "has no line breaks"
            case .unassigned: return newRule
            default: guard let age = scalar.properties.age, age.major <= 15 else { return newRule }
            }
        }
        guard let first = name.unicodeScalars.first?.properties, let last = name.unicodeScalars.last?.properties,
            !first.isWhitespace, !last.isWhitespace
        else { return "neither begins nor ends with a space" }
        switch first.generalCategory {
        // It would be one character with what stands before it, in a path or a line of the log.
        case .nonspacingMark, .spacingMark, .enclosingMark: return "does not begin with a combining mark"
        default: return isComposed(name) ? nil : "is in composed form (NFC)"
        }
    }

    private static let newRule = "has only characters of Unicode 15 and before"

    /// Foundation and Swift's own comparison know different versions of Unicode; of characters up to version 15 they say the
    /// same, but for one: Foundation leaves a Korean syllable and a final consonant behind it apart.
    private static func isComposed(_ name: String) -> Bool {
        guard name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8) else { return false }
        return !zip(name.unicodeScalars, name.unicodeScalars.dropFirst()).contains { syllable, behind in
            (0xAC00...0xD7A3).contains(syllable.value) && (syllable.value - 0xAC00) % 28 == 0
                && (0x11A8...0x11C2).contains(behind.value)
        }
    }
}

// What the parts of the server and its messages have in common.
extension NameRule {
    /// A device, or a person's part of one: its `UDID` or `EnrollmentID`.
    package static let enrollment = NameRule(.visible, upTo: 128)
    /// As makers of devices write it; some have spaces inside.
    package static let serialNumber = NameRule(.printable, upTo: 256)
    /// A user of a device that several share, by the short name.
    package static let sharedUser = NameRule(.composed, upTo: 256)
}
