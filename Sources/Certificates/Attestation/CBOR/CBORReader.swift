package import Foundation

extension CBORValue {
    /// Reads exactly one value.
    ///
    /// Lengths are definite, numbers and lengths in their shortest form, names unique: each value has one encoding, up to
    /// the order of names. Tags and floating point are refused; nothing that is attested uses them.
    package init(decoding data: Data) throws(CBORMalformed) {
        guard data.count <= CBORLimits.bytes else { throw CBORMalformed() }
        var reader = CBORReader([UInt8](data))
        self = try reader.value(depth: 0)
        guard reader.isAtEnd else { throw CBORMalformed() }
    }
}

private struct CBORReader {
    private let bytes: [UInt8]
    private var position = 0
    private var values = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func value(depth: Int) throws(CBORMalformed) -> CBORValue {
        values += 1
        guard depth <= CBORLimits.depth, values <= CBORLimits.values else { throw CBORMalformed() }
        let head = try octet()
        switch head >> 5 {
        case 0: return .integer(try number(head))
        case 1: return .integer(-1 - (try number(head)))
        case 2: return .bytes(Data(try take(number(head))))
        case 3:
            let bytes = try take(number(head))
            guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
                throw CBORMalformed()
            }
            return .text(text)
        case 4:
            var elements: [CBORValue] = []
            for _ in 0..<(try count(head)) { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            var entries: [CBORValue.Entry] = []
            var keys: Set<CBORValue> = []
            for _ in 0..<(try count(head)) {
                let key = try value(depth: depth + 1)
                guard keys.insert(key).inserted else { throw CBORMalformed() }
                entries.append(CBORValue.Entry(key, try value(depth: depth + 1)))
            }
            return .map(entries)
        case 7:
            switch head & 0x1f {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw CBORMalformed()
            }
        default: throw CBORMalformed()
        }
    }

    private mutating func octet() throws(CBORMalformed) -> UInt8 {
        guard position < bytes.count else { throw CBORMalformed() }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number(_ head: UInt8) throws(CBORMalformed) -> Int64 {
        let low = head & 0x1f
        guard low >= 24 else { return Int64(low) }
        guard low <= 27 else { throw CBORMalformed() }
        let octets = 1 << Int(low - 24)
        var number: UInt64 = 0
        for _ in 0..<octets { number = number << 8 | UInt64(try octet()) }
        let smallest: UInt64 = octets == 1 ? 24 : 1 << (UInt64(octets) * 4)
        guard number >= smallest, number <= UInt64(Int64.max) else { throw CBORMalformed() }
        return Int64(number)
    }

    // Nothing is reserved for what is only announced.
    private mutating func count(_ head: UInt8) throws(CBORMalformed) -> Int64 {
        let count = try number(head)
        guard count <= CBORLimits.values else { throw CBORMalformed() }
        return count
    }

    private mutating func take(_ count: Int64) throws(CBORMalformed) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw CBORMalformed() }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }
}
