/// Numbers in the text of an XML property list.
enum PropertyListNumber {
    /// Reads a decimal integer between -2⁶³ and 2⁶⁴-1.
    static func integer(_ text: Span<UInt8>) throws(InputRefusal) -> PropertyListValue {
        let (start, end) = trimmed(text)
        var index = start
        var negative = false
        if index < end, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
            negative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        guard index < end, end - index <= 20 else { throw InputRefusal("an integer has no digits or too many") }
        var magnitude: UInt64 = 0
        while index < end {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { throw InputRefusal("an integer is not written in decimal digits") }
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { throw InputRefusal("an integer exceeds 64 bits") }
            magnitude = sum
            index += 1
        }
        if negative {
            guard magnitude <= 1 << 63 else { throw InputRefusal("an integer exceeds 64 bits") }
            return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        return .number(magnitude)
    }

    /// Reads a decimal real, `nan`, `inf` or `infinity`.
    static func real(_ text: Span<UInt8>) throws(InputRefusal) -> Double {
        let (start, end) = trimmed(text)
        guard end > start, end - start <= 64 else { throw InputRefusal("a real has no digits or too many") }
        var letters: [UInt8] = []
        letters.reserveCapacity(end - start)
        for index in start..<end {
            let byte = text[index]
            letters.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
        }
        let word = String(decoding: letters, as: UTF8.self)
        switch word {
        case "nan": return .nan
        case "inf", "infinity", "+infinity", "+inf": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: break
        }
        guard isDecimal(letters), let value = Double(word), value.isFinite else {
            throw InputRefusal("a real is malformed or out of range")
        }
        return value
    }

    /// `[+-]digits[.digits][e[+-]digits]`, with digits on at least one side of the point.
    private static func isDecimal(_ letters: [UInt8]) -> Bool {
        var index = 0
        func digits() -> Int {
            let start = index
            while index < letters.count, letters[index] >= UInt8(ascii: "0"), letters[index] <= UInt8(ascii: "9") {
                index += 1
            }
            return index - start
        }
        func sign() {
            if index < letters.count, letters[index] == UInt8(ascii: "-") || letters[index] == UInt8(ascii: "+") {
                index += 1
            }
        }
        sign()
        var significant = digits()
        if index < letters.count, letters[index] == UInt8(ascii: ".") {
            index += 1
            significant += digits()
        }
        guard significant > 0 else { return false }
        if index < letters.count, letters[index] == UInt8(ascii: "e") {
            index += 1
            sign()
            guard digits() > 0 else { return false }
        }
        return index == letters.count
    }

    /// Leaves out the white space before a number; after one, Foundation allows none either.
    private static func trimmed(_ text: Span<UInt8>) -> (start: Int, end: Int) {
        var start = 0
        while start < text.count, isSpace(text[start]) { start += 1 }
        return (start, text.count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }
}
