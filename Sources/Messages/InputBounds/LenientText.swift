import Foundation

/// The bytes of a peer's document as UTF-8, whatever encoding it came in.
enum LenientText {
    /// Reads UTF-8, UTF-16 and UTF-32 by their marks, UTF-16 without one, and Latin-1 where XML declares it.
    ///
    /// Bytes that stand for nothing become U+FFFD; `isRepaired` then says so.
    static func utf8(_ data: Data) -> (bytes: [UInt8], isRepaired: Bool) {
        let bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return valid(Array(bytes.dropFirst(3))) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return utf32(bytes.dropFirst(4), isBigEndian: false) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return utf32(bytes.dropFirst(4), isBigEndian: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        if bytes.starts(with: [0x3C, 0, 0x3F, 0]) { return utf16(bytes[...], isBigEndian: false) }
        if bytes.starts(with: [0, 0x3C, 0, 0x3F]) { return utf16(bytes[...], isBigEndian: true) }
        if declaresLatin1(bytes) { return (latin1(bytes), false) }
        return valid(bytes)
    }

    private static func valid(_ bytes: [UInt8]) -> (bytes: [UInt8], isRepaired: Bool) {
        if isUTF8(bytes.span) { return (bytes, false) }
        return (Array(String(decoding: bytes, as: UTF8.self).utf8), true)
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes)) != nil
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> (bytes: [UInt8], isRepaired: Bool) {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? one << 8 | other : other << 8 | one)
            index += 2
        }
        let text = String(decoding: units, as: UTF16.self)
        return (Array(text.utf8), index != bytes.endIndex || !isUTF16(units))
    }

    /// Whether each half of a surrogate pair has its other half.
    static func isUTF16(_ units: [UInt16]) -> Bool {
        var leading = false
        for unit in units {
            guard UTF16.isTrailSurrogate(unit) == leading else { return false }
            leading = UTF16.isLeadSurrogate(unit)
        }
        return !leading
    }

    private static func utf32(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> (bytes: [UInt8], isRepaired: Bool) {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2)
        var isRepaired = bytes.count % 4 != 0
        var index = bytes.startIndex
        while index + 3 < bytes.endIndex {
            let octets = bytes[index..<(index + 4)]
            var number: UInt32 = 0
            for octet in isBigEndian ? Array(octets) : octets.reversed() { number = number << 8 | UInt32(octet) }
            let scalar = Unicode.Scalar(number)
            if scalar == nil { isRepaired = true }
            text.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            index += 4
        }
        return (text, isRepaired)
    }

    private static func declaresLatin1(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: Array("<?xml".utf8)) else { return false }
        let declaration = bytes.prefix(256).prefix { $0 != UInt8(ascii: ">") }
        return String(decoding: declaration, as: UTF8.self).lowercased().contains("iso-8859-1")
    }

    private static func latin1(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte < 0x80 {
                text.append(byte)
            } else {
                text.append(0xC0 | byte >> 6)
                text.append(0x80 | byte & 0x3F)
            }
        }
        return text
    }
}
