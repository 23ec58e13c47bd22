/// The escapes of JSON strings.
enum JSONText {
    /// Where the bytes end, from `start` on, that stand for themselves in a string.
    ///
    /// Texts are long and escapes are rare: eight bytes are looked at together.
    static func endOfPlain(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard !holdsSpecial(word) else { break }
            position += 8
        }
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    // A byte's highest bit is set in the sum where the byte is below 32, or equal to one of the two characters.
    private static func holdsSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let special =
            (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return special & (ones &* 0x80) != 0
    }

    /// Reads the escape that begins at `position`, a surrogate pair as one.
    static func escape(
        _ bytes: Span<UInt8>, at position: Int
    ) throws(InputRefusal) -> (scalar: Unicode.Scalar, length: Int) {
        guard position + 1 < bytes.count else { throw InputRefusal("the JSON document is cut short") }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""): return ("\"", 2)
        case UInt8(ascii: "\\"): return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"): break
        default: throw InputRefusal("a JSON string holds an unknown escape")
        }
        let unit = try unit(bytes, at: position + 2)
        // C libraries end a text at a NUL: two texts would be taken for one.
        guard unit != 0 else { throw InputRefusal("a JSON string holds a NUL") }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard unit < 0xDC00, position + 7 < bytes.count, bytes[position + 6] == UInt8(ascii: "\\"),
            bytes[position + 7] == UInt8(ascii: "u")
        else { throw InputRefusal("a JSON string holds half a surrogate pair") }
        let trail = try self.unit(bytes, at: position + 8)
        guard (0xDC00...0xDFFF).contains(trail),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(trail) - 0xDC00)
        else { throw InputRefusal("a JSON string holds half a surrogate pair") }
        return (scalar, 12)
    }

    private static func unit(_ bytes: Span<UInt8>, at position: Int) throws(InputRefusal) -> UInt16 {
        guard position + 4 <= bytes.count else { throw InputRefusal("the JSON document is cut short") }
        var unit: UInt16 = 0
        for index in position..<(position + 4) {
            let digit: UInt8
            switch bytes[index] {
            case 0x30...0x39: digit = bytes[index] - 0x30
            case 0x41...0x46: digit = bytes[index] - 0x41 + 10
            case 0x61...0x66: digit = bytes[index] - 0x61 + 10
            default: throw InputRefusal("a JSON string holds an unknown escape")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The text that `bytes`, already checked by the reader, stands for.
    static func decode(_ bytes: Span<UInt8>, escaped: Bool) throws(InputRefusal) -> String {
        guard escaped else { return try XMLText.plain(bytes) }
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                let (scalar, length) = try escape(bytes, at: index)
                plain.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                index += length
            } else {
                plain.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
