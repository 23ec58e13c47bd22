import Foundation

/// Reads a binary property list of a peer as far as it can be read.
///
/// What Foundation reads beyond the kinds of a property list has one reading: a reference of a keyed archive is the
/// dictionary that XML writes for it, a set is an array, an integer of 128 bits its digits. An object that has no reading is
/// left out, with its key. Every reference that is followed counts, so shared ones cannot grow beyond the limits.
struct LenientBinaryReader {
    private let list: BinaryPropertyList
    private let limits: InputLimits
    /// The rule that is reported for a container nested deeper than the limit.
    private let tooDeep: String
    private var references = 0
    private var textBytes = 0
    /// The containers that are being read, the outermost first, and where in them.
    private var open: [Int] = []
    private var path: [String] = []
    private(set) var oddities = Oddities()

    init(_ bytes: Span<UInt8>, limits: InputLimits, tooDeep: String) throws(InputRefusal) {
        // Objects count where they are reached: here they only bound what the trailer may say.
        let trailer = InputLimits(bytes: limits.bytes, depth: limits.depth, objects: limits.bytes)
        list = try BinaryPropertyList(bytes, limits: trailer, isLenient: true)
        self.limits = limits
        self.tooDeep = tooDeep
    }

    mutating func read(_ bytes: Span<UInt8>) throws(InputRefusal) -> PropertyListValue {
        try count()
        guard let root = try build(bytes, list.topObject) else {
            throw InputRefusal("a property list holds one value")
        }
        return root
    }

    // MARK: Objects

    /// The value of an object; nothing where it is left out.
    private mutating func build(_ bytes: Span<UInt8>, _ index: Int) throws(InputRefusal) -> PropertyListValue? {
        let object: BinaryPropertyList.Object
        do throws(InputRefusal) {
            object = try list.object(bytes, index)
        } catch {
            return try buildOther(bytes, index, error.rule)
        }
        switch object {
        case .scalar(let value): return value
        case .text(let start, let count, let isWide):
            try take(isWide ? 2 * count : count)
            return .string(isWide ? wide(bytes, start, count) : narrow(bytes, start, count))
        case .data(let start, let count):
            try take(count)
            return .data(Data(octets(bytes, start, count)))
        case .array(let first, let count): return try array(bytes, index, first, count)
        case .dictionary(let first, let count): return try dictionary(bytes, index, first, count)
        }
    }

    /// What Foundation reads and the format of the others does not have.
    private mutating func buildOther(
        _ bytes: Span<UInt8>, _ index: Int, _ rule: String
    ) throws(InputRefusal) -> PropertyListValue? {
        guard let start = try? list.offset(bytes, index) else { return leftOut(rule) }
        let marker = bytes[start]
        switch marker {
        case 0x14:
            guard let high = try? list.word(bytes, start + 1, 8), let low = try? list.word(bytes, start + 9, 8) else {
                return leftOut(rule)
            }
            let number = Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
            if let short = Int64(exactly: number) { return .integer(short) }
            note(rule)
            return .string("\(number)")
        case 0x33:
            guard let bits = try? list.word(bytes, start + 1, 8) else { return leftOut(rule) }
            note(rule)
            return .real(Double(bitPattern: bits))
        case 0x80...0x87:
            guard let number = try? list.word(bytes, start + 1, Int(marker & 0x0F) + 1) else { return leftOut(rule) }
            guard open.count < limits.depth else { return leftOut(tooDeep) }
            // The key and its value.
            try count()
            try count()
            return .dictionary(["CF$UID": .number(number)])
        case 0xB0...0xCF:
            guard let (first, count) = try? list.extent(bytes, start, marker, width: list.widthOfReferences) else {
                return leftOut(rule)
            }
            return try array(bytes, index, first, count)
        default: return leftOut(rule)
        }
    }

    private mutating func array(
        _ bytes: Span<UInt8>, _ index: Int, _ first: Int, _ count: Int
    ) throws(InputRefusal) -> PropertyListValue? {
        guard begin(index) else { return nil }
        var items: [PropertyListValue] = []
        for position in 0..<count {
            path.append("[\(items.count)]")
            if let item = try child(bytes, first, position) { items.append(item) }
            path.removeLast()
        }
        open.removeLast()
        return .array(items)
    }

    private mutating func dictionary(
        _ bytes: Span<UInt8>, _ index: Int, _ first: Int, _ count: Int
    ) throws(InputRefusal) -> PropertyListValue? {
        guard begin(index) else { return nil }
        var entries: [String: PropertyListValue] = [:]
        for position in 0..<count {
            guard let key = try child(bytes, first, position)?.string else {
                note("a key is not a string")
                continue
            }
            path.append(path.isEmpty ? key : "." + key)
            if let value = try child(bytes, first, position + count),
                entries.updateValue(value, forKey: key) != nil
            {
                note("a dictionary holds the same key twice: the last value counts")
            }
            path.removeLast()
        }
        open.removeLast()
        return .dictionary(entries)
    }

    private mutating func child(
        _ bytes: Span<UInt8>, _ first: Int, _ position: Int
    ) throws(InputRefusal) -> PropertyListValue? {
        try count()
        let index: Int
        do throws(InputRefusal) {
            index = try list.reference(bytes, first, position)
        } catch {
            return leftOut(error.rule)
        }
        return try build(bytes, index)
    }

    /// Begins to read a container, unless it is left out.
    private mutating func begin(_ index: Int) -> Bool {
        guard !open.contains(index) else {
            note("the property list refers to itself")
            return false
        }
        guard open.count < limits.depth else {
            note(tooDeep)
            return false
        }
        open.append(index)
        return true
    }

    // MARK: Texts

    private mutating func wide(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(count)
        for unit in 0..<count {
            units.append(UInt16(bytes[start + 2 * unit]) << 8 | UInt16(bytes[start + 2 * unit + 1]))
        }
        if !LenientText.isUTF16(units) { note("a text is not UTF-16") }
        return withoutNUL(String(decoding: units, as: UTF16.self))
    }

    private mutating func narrow(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> String {
        let octets = self.octets(bytes, start, count)
        if octets.contains(where: { $0 >= 0x80 }) { note("a text is not ASCII as it says") }
        return withoutNUL(String(decoding: octets, as: UTF8.self))
    }

    /// C libraries end a text at a NUL: two texts would be taken for one.
    private mutating func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        note("a text holds a NUL")
        return text.replacing(scalars: "\0", with: "\u{FFFD}")
    }

    private func octets(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(count)
        for position in start..<(start + count) { octets.append(bytes[position]) }
        return octets
    }

    // MARK: Bounds

    private mutating func count() throws(InputRefusal) {
        references += 1
        guard references <= limits.objects else { throw InputRefusal("the property list holds too many values") }
    }

    private mutating func take(_ count: Int) throws(InputRefusal) {
        textBytes += count
        guard textBytes <= limits.bytes else { throw InputRefusal("the property list is larger than allowed") }
    }

    private mutating func leftOut(_ rule: String) -> PropertyListValue? {
        note(rule)
        return nil
    }

    private mutating func note(_ rule: String) {
        let place = oddities.isRoomLeft ? path.prefix(64).joined() : ""
        oddities.add(rule, at: place)
    }
}
