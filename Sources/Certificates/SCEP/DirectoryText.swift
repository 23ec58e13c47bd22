import SwiftASN1

/// The text of an attribute that is a DirectoryString (RFC 2985 §5.4.1), in whichever form a client's library writes it.
enum DirectoryText {
    /// Nothing where the value is no text, or not what its type says.
    static func text(_ value: ASN1Any) -> String? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(value)) != nil, let node = try? DER.parse(serializer.serializedBytes),
            case .primitive(let bytes) = node.content
        else { return nil }
        switch node.identifier {
        case .utf8String: return String(validating: bytes, as: UTF8.self)
        // Libraries write more into a PrintableString than its alphabet has, such as "_" and "@".
        case .printableString, .ia5String, .visibleString, .numericString:
            return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        // Latin 1 is what libraries write there, none of them T.61.
        case .teletexString: return String(decoding: bytes.map { UInt16($0) }, as: UTF16.self)
        case .bmpString:
            guard let found = units(bytes, of: 2) else { return nil }
            return String(validating: found.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
        case .universalString:
            guard let found = units(bytes, of: 4) else { return nil }
            return String(validating: found, as: UTF32.self)
        default: return nil
        }
    }

    /// Numbers of `width` bytes, the highest first.
    private static func units(_ bytes: ArraySlice<UInt8>, of width: Int) -> [UInt32]? {
        guard bytes.count.isMultiple(of: width) else { return nil }
        var units: [UInt32] = []
        var unit: UInt32 = 0
        for (place, byte) in bytes.enumerated() {
            unit = unit << 8 | UInt32(byte)
            guard (place + 1).isMultiple(of: width) else { continue }
            units.append(unit)
            unit = 0
        }
        return units
    }
}
