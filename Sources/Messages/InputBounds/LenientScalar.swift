import Foundation

/// The values of a peer's XML property list that are written as text.
///
/// Each function answers nothing where the text has no value of its type.
enum LenientScalar {
    /// Reads a decimal or hexadecimal integer between -2⁶³ and 2⁶⁴-1, white space around it left out.
    static func integer(_ text: [UInt8]) -> PropertyListValue? {
        var digits = Substring(String(decoding: trimmed(text), as: UTF8.self))
        var isNegative = false
        if let sign = digits.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            digits = digits.dropFirstScalars(1)
        }
        let isHexadecimal = digits.utf8.starts(with: "0x".utf8) || digits.utf8.starts(with: "0X".utf8)
        if isHexadecimal { digits = digits.dropFirstScalars(2) }
        // The initializer would take a second sign.
        guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
            let magnitude = UInt64(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        guard isNegative else { return .number(magnitude) }
        guard magnitude <= 1 << 63 else { return nil }
        return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    /// Reads a real of up to 1,024 letters, white space around it left out.
    static func real(_ text: [UInt8]) -> PropertyListValue? {
        let letters = Array(trimmed(text))
        if let number = try? PropertyListNumber.real(letters.span) { return .real(number) }
        let isDecimal = letters.allSatisfy { letter in
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard isDecimal, letters.count <= 1_024, let number = Double(String(decoding: letters, as: UTF8.self)),
            number.isFinite
        else { return nil }
        return .real(number)
    }

    /// Reads a moment, white space around it left out.
    static func date(_ text: [UInt8]) -> PropertyListValue? {
        let letters = Array(trimmed(text))
        return (try? PropertyListDate.parse(letters.span)).map { .date($0) }
    }

    /// Reads Base64 as far as it is any: other characters are skipped, padding may be missing.
    ///
    /// The rule is the one that the text breaks.
    static func data(_ text: [UInt8]) -> (data: Data, brokenRule: String?) {
        do throws(InputRefusal) {
            let count = try Base64Text.count(text.span)
            return (Base64Text.decode(text.span, count: count), nil)
        } catch {
            return (Base64Text.decode(text.span, count: text.count / 4 * 3), error.rule)
        }
    }

    private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        var rest = text[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }
}

extension Substring {
    /// A sign and a mark that follows it may be one character.
    fileprivate func dropFirstScalars(_ count: Int) -> Substring {
        Substring(unicodeScalars.dropFirst(count))
    }
}
