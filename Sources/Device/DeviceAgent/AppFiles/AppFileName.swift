/// The name of a file for an identifier that somebody chose.
package enum AppFileName {
    // What a name in a directory can have; identifiers may be longer.
    private static let longest = 255

    /// Letters, digits, `-`, `_` and dots inside are themselves, every other byte is `%` and two digits.
    ///
    /// Different identifiers have different names. Nothing if the name would be too long.
    package static func encode(_ identifier: String) -> String? {
        var name: [UInt8] = []
        for (index, byte) in identifier.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.append(byte)
            case UInt8(ascii: ".") where index > 0:
                name.append(byte)
            default:
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        guard (1...longest).contains(name.count) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
