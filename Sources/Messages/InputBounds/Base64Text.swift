import Foundation

/// Standard Base64 with white space, as `data` elements hold it.
enum Base64Text {
    /// The number of bytes the text stands for, after checking every character.
    static func count(_ text: Span<UInt8>) throws(InputRefusal) -> Int {
        var digits = 0
        var padding = 0
        for index in 0..<text.count {
            let value = value(text[index])
            if value < 64 {
                guard padding == 0 else { throw InputRefusal("data is not Base64") }
                digits += 1
            } else if value == isPadding {
                padding += 1
            } else if value != isSpace {
                throw InputRefusal("data is not Base64")
            }
        }
        guard (digits + padding) % 4 == 0, padding <= 2 else { throw InputRefusal("data is not Base64") }
        return digits * 3 / 4
    }

    /// The bytes of a text that `count` has checked.
    static func decode(_ text: Span<UInt8>, count: Int) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var word: UInt32 = 0
        var held = 0
        for index in 0..<text.count {
            let value = value(text[index])
            guard value < 64 else { continue }
            word = word << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(held)))
            }
        }
        return Data(bytes)
    }

    private static let isSpace: UInt8 = 0x80
    private static let isPadding: UInt8 = 0x81

    @inline(__always)
    private static func value(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        case 0x3D: isPadding
        case 0x20, 0x09, 0x0A, 0x0D: isSpace
        default: 0xFF
        }
    }
}
