import Foundation

/// The layout of a binary property list: where its objects are and how they refer to each other.
///
/// `check` walks every object reachable from the top once, remembers the size each one has when its references are
/// expanded, and refuses what would be too large, too deep or without end. `value` may only follow a `check`.
/// `LenientBinaryReader` reads objects one by one and needs no `check`.
struct BinaryPropertyList {
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let objectCount: Int
    private let top: Int
    private let tableStart: Int

    /// Reads the trailer; `isLenient` takes the later minor versions, which Foundation reads as the first.
    init(_ bytes: Span<UInt8>, limits: InputLimits, isLenient: Bool = false) throws(InputRefusal) {
        guard bytes.count >= 8 + 1 + 1 + 32 else { throw InputRefusal("the binary property list is cut short") }
        guard bytes[6] == UInt8(ascii: "0"), isLenient || bytes[7] == UInt8(ascii: "0") else {
            throw InputRefusal("the binary property list has an unknown version")
        }
        let trailer = bytes.count - 32
        let offsetWidth = Int(bytes[trailer + 6])
        let referenceWidth = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
            throw InputRefusal("the binary property list's trailer is malformed")
        }
        guard let objectCount = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
            let tableStart = Self.number(bytes, trailer + 24, 8)
        else { throw InputRefusal("the binary property list's trailer is malformed") }
        guard objectCount <= limits.objects else { throw InputRefusal("the property list holds too many values") }
        // The count is bounded, so the product cannot overflow; table and trailer must end the input exactly.
        guard objectCount >= 1, top < objectCount, tableStart >= 9, tableStart < trailer,
            trailer - tableStart == objectCount * offsetWidth
        else { throw InputRefusal("the binary property list's trailer is malformed") }
        guard referenceWidth >= 4 || objectCount <= 1 << (8 * referenceWidth),
            offsetWidth >= 4 || tableStart < 1 << (8 * offsetWidth)
        else { throw InputRefusal("the binary property list's trailer is malformed") }
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
        self.objectCount = objectCount
        self.top = top
        self.tableStart = tableStart
    }

    // MARK: Objects

    enum Object {
        case scalar(PropertyListValue)
        case text(start: Int, count: Int, wide: Bool)
        case data(start: Int, count: Int)
        case array(references: Int, count: Int)
        case dictionary(references: Int, count: Int)
    }

    /// Refuses a table that points outside, even for an object that nothing refers to: Foundation refuses it too.
    func checkOffsets(_ bytes: Span<UInt8>) throws(InputRefusal) {
        for index in 0..<objectCount { _ = try offset(bytes, index) }
    }

    func offset(_ bytes: Span<UInt8>, _ index: Int) throws(InputRefusal) -> Int {
        guard let start = Self.number(bytes, tableStart + index * offsetWidth, offsetWidth), start >= 8,
            start < tableStart
        else { throw InputRefusal("an object lies outside the binary property list") }
        return start
    }

    func object(_ bytes: Span<UInt8>, _ index: Int) throws(InputRefusal) -> Object {
        let start = try offset(bytes, index)
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0, 0x1, 0x2, 0x3: return .scalar(try scalar(bytes, start, marker))
        case 0x4:
            let (first, count) = try extent(bytes, start, marker, width: 1)
            return .data(start: first, count: count)
        case 0x5:
            let (first, count) = try extent(bytes, start, marker, width: 1)
            return .text(start: first, count: count, wide: false)
        case 0x6:
            let (first, count) = try extent(bytes, start, marker, width: 2)
            return .text(start: first, count: count, wide: true)
        case 0xA:
            let (first, count) = try extent(bytes, start, marker, width: referenceWidth)
            return .array(references: first, count: count)
        case 0xD:
            let (first, count) = try extent(bytes, start, marker, width: 2 * referenceWidth)
            return .dictionary(references: first, count: count)
        default: throw InputRefusal("a property list has no such type")
        }
    }

    /// The object that the reference number `position` of a container points to.
    func reference(_ bytes: Span<UInt8>, _ references: Int, _ position: Int) throws(InputRefusal) -> Int {
        guard let index = Self.number(bytes, references + position * referenceWidth, referenceWidth),
            index < objectCount
        else { throw InputRefusal("a reference points at no object") }
        return index
    }

    var topObject: Int { top }
    /// The bytes of a reference.
    var widthOfReferences: Int { referenceWidth }
    var count: Int { objectCount }

    private func scalar(
        _ bytes: Span<UInt8>, _ start: Int, _ marker: UInt8
    ) throws(InputRefusal) -> PropertyListValue {
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10, 0x11, 0x12:
            return .integer(Int64(truncatingIfNeeded: try word(bytes, start + 1, 1 << Int(marker & 0x0F))))
        case 0x13: return .integer(Int64(bitPattern: try word(bytes, start + 1, 8)))
        case 0x14:
            guard try word(bytes, start + 1, 8) == 0 else { throw InputRefusal("an integer exceeds 64 bits") }
            return .number(try word(bytes, start + 9, 8))
        case 0x22:
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try word(bytes, start + 1, 4)))))
        case 0x23: return .real(Double(bitPattern: try word(bytes, start + 1, 8)))
        case 0x33:
            return .date(
                try PropertyListDate.check(secondsSince2001: Double(bitPattern: try word(bytes, start + 1, 8))))
        default: throw InputRefusal("a property list has no such type")
        }
    }

    /// Where the content of an object of variable size begins, and how many units of `width` bytes it has.
    func extent(
        _ bytes: Span<UInt8>, _ start: Int, _ marker: UInt8, width: Int
    ) throws(InputRefusal) -> (first: Int, count: Int) {
        var first = start + 1
        var count = Int(marker & 0x0F)
        if count == 0x0F {
            guard first < tableStart, bytes[first] >> 4 == 0x1, bytes[first] & 0x0F <= 3 else {
                throw InputRefusal("the size of an object is malformed")
            }
            let size = 1 << Int(bytes[first] & 0x0F)
            guard let long = Int(exactly: try word(bytes, first + 1, size)) else {
                throw InputRefusal("an object lies outside the binary property list")
            }
            first += 1 + size
            count = long
        }
        guard first <= tableStart, count <= (tableStart - first) / width else {
            throw InputRefusal("an object lies outside the binary property list")
        }
        return (first, count)
    }

    func word(_ bytes: Span<UInt8>, _ start: Int, _ width: Int) throws(InputRefusal) -> UInt64 {
        guard start + width <= tableStart else { throw InputRefusal("an object lies outside the binary property list") }
        var value: UInt64 = 0
        for index in start..<(start + width) { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ width: Int) -> Int? {
        guard start + width <= bytes.count else { return nil }
        var value: UInt64 = 0
        for index in start..<(start + width) { value = value << 8 | UInt64(bytes[index]) }
        return Int(exactly: value)
    }
}
