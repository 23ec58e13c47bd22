/// How much of a program (ELF, 64 bits, little-endian) is never loaded: symbols and what debuggers read.
///
/// Its table of sections usually is the last thing in the file, so it is read as the file passes by.
struct ProgramSections {
    private var header: [UInt8] = []
    private var table: [UInt8] = []
    private var position: UInt64 = 0

    private static let headerSize = 64
    private static let entrySize = 64
    // Programs have some forty sections; Swift's have more, never thousands.
    private static let mostEntries = 4_096

    mutating func begin() {
        header.removeAll(keepingCapacity: true)
        table.removeAll(keepingCapacity: true)
        position = 0
    }

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        if header.count < Self.headerSize { header += bytes.prefix(Self.headerSize - header.count) }
        let end = position + UInt64(bytes.count)
        if let place = tablePlace, place.upperBound > position, place.lowerBound < end {
            let from = Int(max(place.lowerBound, position) - position)
            let to = Int(min(place.upperBound, end) - position)
            table += bytes[(bytes.startIndex + from)..<(bytes.startIndex + to)]
        }
        position = end
    }

    /// What is not loaded, in bytes; 0 for a file that is no program.
    var superfluous: UInt64 {
        guard let place = tablePlace, table.count == place.count else { return 0 }
        var sum: UInt64 = 0
        for start in stride(from: 0, to: table.count, by: Self.entrySize) {
            let (type, flags, size) = (
                number(table, start + 4, 4), number(table, start + 8, 8), number(table, start + 32, 8)
            )
            // Neither empty nor "no bits" (8), and without the flag that it is loaded.
            if type != 0, type != 8, flags & 2 == 0, size <= position { sum += size }
            if sum > position { return 0 }
        }
        return sum
    }

    private var tablePlace: Range<UInt64>? {
        guard header.count == Self.headerSize, header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
        let (place, size, count) = (number(header, 40, 8), number(header, 58, 2), number(header, 60, 2))
        guard place >= UInt64(Self.headerSize), place <= PackageLimits.file, size == UInt64(Self.entrySize),
            count > 0, count <= UInt64(Self.mostEntries)
        else { return nil }
        return place..<(place + count * size)
    }

    private func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
