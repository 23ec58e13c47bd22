import Foundation

extension BinaryPropertyList {
    /// The value of a list that `check` has let pass: its depth is bounded, so recursion is too.
    func value(_ bytes: Span<UInt8>) throws(InputRefusal) -> PropertyListValue {
        var built = [PropertyListValue?](repeating: nil, count: count)
        return try build(bytes, topObject, &built)
    }

    private func build(
        _ bytes: Span<UInt8>, _ index: Int, _ built: inout [PropertyListValue?]
    ) throws(InputRefusal) -> PropertyListValue {
        if let value = built[index] { return value }
        let value: PropertyListValue
        switch try object(bytes, index) {
        case .scalar(let scalar): value = scalar
        case .text(let start, let count, false):
            value = .string(try XMLText.plain(bytes.extracting(start..<(start + count))))
        case .text(let start, let count, true):
            var units: [UInt16] = []
            units.reserveCapacity(count)
            for unit in 0..<count {
                units.append(UInt16(bytes[start + 2 * unit]) << 8 | UInt16(bytes[start + 2 * unit + 1]))
            }
            value = .string(String(decoding: units, as: UTF16.self))
        case .data(let start, let count):
            var content: [UInt8] = []
            content.reserveCapacity(count)
            for position in start..<(start + count) { content.append(bytes[position]) }
            value = .data(Data(content))
        case .array(let references, let count):
            var items: [PropertyListValue] = []
            items.reserveCapacity(count)
            for position in 0..<count {
                items.append(try build(bytes, try reference(bytes, references, position), &built))
            }
            value = .array(items)
        case .dictionary(let references, let count):
            var entries: [String: PropertyListValue] = [:]
            entries.reserveCapacity(count)
            for position in 0..<count {
                let key = try build(bytes, try reference(bytes, references, position), &built)
                let entry = try build(bytes, try reference(bytes, references, position + count), &built)
                guard let key = key.string else { throw InputRefusal("a key is not a string") }
                guard entries.updateValue(entry, forKey: key) == nil else {
                    throw InputRefusal("a dictionary holds the same key twice")
                }
            }
            value = .dictionary(entries)
        }
        built[index] = value
        return value
    }
}
