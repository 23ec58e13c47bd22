/// The parts of XML text: literals, entities and CDATA sections.
enum XMLText {
    /// Tells whether the ASCII literal `text` stands at `position`.
    static func matches(_ bytes: Span<UInt8>, at position: Int, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        let start = unsafe text.utf8Start
        for index in 0..<count where unsafe bytes[position + index] != start[index] { return false }
        return true
    }

    /// Reads the entity reference that begins at `position`.
    ///
    /// Numeric references stop at U+FFFF, because Foundation cuts larger ones to 16 bits without a word.
    static func reference(
        _ bytes: Span<UInt8>, at position: Int
    ) throws(InputRefusal) -> (scalar: Unicode.Scalar, length: Int) {
        if matches(bytes, at: position, "&lt;") { return ("<", 4) }
        if matches(bytes, at: position, "&gt;") { return (">", 4) }
        if matches(bytes, at: position, "&amp;") { return ("&", 5) }
        if matches(bytes, at: position, "&quot;") { return ("\"", 6) }
        if matches(bytes, at: position, "&apos;") { return ("'", 6) }
        guard matches(bytes, at: position, "&#") else {
            throw InputRefusal("a property list knows only the five entities of XML")
        }
        return try numericReference(bytes, at: position)
    }

    private static func numericReference(
        _ bytes: Span<UInt8>, at position: Int
    ) throws(InputRefusal) -> (scalar: Unicode.Scalar, length: Int) {
        var index = position + 2
        let hexadecimal = index < bytes.count && bytes[index] == UInt8(ascii: "x")
        if hexadecimal { index += 1 }
        var number: UInt32 = 0
        let first = index
        while index < bytes.count, index - first < 8, let digit = digit(bytes[index], hexadecimal: hexadecimal) {
            number = number * (hexadecimal ? 16 : 10) + digit
            guard number <= 0xFFFF else { break }
            index += 1
        }
        guard index > first, index < bytes.count, bytes[index] == UInt8(ascii: ";"), number > 0,
            let scalar = Unicode.Scalar(number)
        else { throw InputRefusal("a numeric character reference is malformed or too large") }
        return (scalar, index + 1 - position)
    }

    private static func digit(_ byte: UInt8, hexadecimal: Bool) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f") where hexadecimal: UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F") where hexadecimal: UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The text that `bytes`, already checked by the reader, stands for.
    static func decode(_ bytes: Span<UInt8>, escaped: Bool) throws(InputRefusal) -> String {
        guard escaped else { return try plain(bytes) }
        var plainBytes: [UInt8] = []
        plainBytes.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "&") {
                let (scalar, length) = try reference(bytes, at: index)
                plainBytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                index += length
            } else if byte == UInt8(ascii: "<") {
                index += 9
                while index < bytes.count && !matches(bytes, at: index, "]]>") {
                    plainBytes.append(bytes[index])
                    index += 1
                }
                index += 3
            } else {
                plainBytes.append(byte)
                index += 1
            }
        }
        return String(decoding: plainBytes, as: UTF8.self)
    }

    /// Whether a file begins as UTF-16 does, which some editors and shells write.
    static func isUTF16(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        return bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0xFE && bytes[1] == 0xFF
    }

    static func plain(_ bytes: Span<UInt8>) throws(InputRefusal) -> String {
        guard let text = try? UTF8Span(validating: bytes) else { throw InputRefusal("a text is not UTF-8") }
        return String(copying: text)
    }
}

/// The line `<?xml … ?>`: of interest is only that it does not announce another encoding than UTF-8.
enum XMLDeclaration {
    static func check(_ bytes: Span<UInt8>) throws(InputRefusal) {
        guard bytes.count <= 256 else { throw InputRefusal("the XML declaration is too long") }
        var index = 0
        while index < bytes.count && !XMLText.matches(bytes, at: index, "encoding") { index += 1 }
        guard index < bytes.count else { return }
        index += 8
        var value: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
            if isSpace && value.count < 2 { continue }
            value.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
            if value.count == 8 { break }
        }
        guard value.starts(with: Array("=\"utf-8\"".utf8)) || value.starts(with: Array("='utf-8'".utf8)) else {
            throw InputRefusal("a property list is UTF-8")
        }
    }
}
