package import Foundation

extension CBORValue {
    /// The value as the reader takes it; names in the order given.
    package var encoded: Data {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return Data(bytes)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .integer(let number) where number >= 0: Self.head(0, UInt64(number), &bytes)
        case .integer(let number): Self.head(1, UInt64(-1 - number), &bytes)
        case .bytes(let data):
            Self.head(2, UInt64(data.count), &bytes)
            bytes += data
        case .text(let text):
            Self.head(3, UInt64(text.utf8.count), &bytes)
            bytes += text.utf8
        case .array(let values):
            Self.head(4, UInt64(values.count), &bytes)
            for value in values { value.write(to: &bytes) }
        case .map(let entries):
            Self.head(5, UInt64(entries.count), &bytes)
            for entry in entries {
                entry.key.write(to: &bytes)
                entry.value.write(to: &bytes)
            }
        case .bool(let flag): bytes.append(flag ? 0xf5 : 0xf4)
        case .null: bytes.append(0xf6)
        }
    }

    private static func head(_ kind: UInt8, _ number: UInt64, _ bytes: inout [UInt8]) {
        let kind = kind << 5
        switch number {
        case 0..<24: bytes.append(kind | UInt8(number))
        case 24...0xff: bytes += [kind | 24, UInt8(number)]
        case 0x100...0xffff: bytes += [kind | 25] + number.octets(2)
        case 0x1_0000...0xffff_ffff: bytes += [kind | 26] + number.octets(4)
        default: bytes += [kind | 27] + number.octets(8)
        }
    }
}

extension UInt64 {
    fileprivate func octets(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) }
    }
}
