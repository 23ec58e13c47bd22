package import Foundation

/// Base64 for URLs without padding (RFC 7515 §2): one text for each sequence of bytes.
package enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var word: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(digits[Int(word >> held & 63)])
            }
        }
        if held > 0 { text.append(digits[Int(word << (6 - held) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or nothing where the text has padding, white space, a foreign character or bits left over.
    package static func decode(_ text: String) -> Data? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var word: UInt32 = 0
        var held: UInt32 = 0
        for character in text.utf8 {
            guard let value = value(character) else { return nil }
            word = word << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> held))
            }
        }
        guard held < 6, word & (1 << held - 1) == 0 else { return nil }
        return Data(bytes)
    }

    /// Whether a text has digits of Base64 for URLs alone; what they encode does not matter.
    package static func hasDigitsOnly(_ text: String) -> Bool { text.utf8.allSatisfy { value($0) != nil } }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61 + 26)
        case 0x30...0x39: UInt32(character - 0x30 + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
