/// What stands before a file in the container: a header of POSIX tar.
///
/// Only its one form is ever written, and readers do not take headers apart: they know from the list what comes next,
/// make its header and compare all bytes.
package enum TarMember {
    package static let block = 512
    /// Two empty blocks end an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * block)

    /// The blocks before the content of a file.
    package static func header(path: String, size: UInt64, isExecutable: Bool) -> [UInt8] {
        let name = [UInt8](path.utf8)
        guard name.count > 100 else {
            return blockOf(name, size: size, isExecutable: isExecutable, type: UInt8(ascii: "0"))
        }
        // A longer name goes into a record of its own before the header, as POSIX has it (pax).
        let record = paxRecord("path", path)
        return blockOf(
            Array("PaxHeader".utf8), size: UInt64(record.count), isExecutable: false, type: UInt8(ascii: "x"))
            + record + padding(after: UInt64(record.count))
            + blockOf(Array(name.prefix(100)), size: size, isExecutable: isExecutable, type: UInt8(ascii: "0"))
    }

    /// What a file takes in the container, all in all.
    static func size(path: String, content: UInt64) -> UInt64 {
        let header = header(path: path, size: content, isExecutable: false).count
        return UInt64(header) + content + UInt64(padding(after: content).count)
    }

    /// The zeros that fill a file's last block.
    package static func padding(after size: UInt64) -> [UInt8] {
        let rest = Int(size % UInt64(block))
        return rest == 0 ? [] : [UInt8](repeating: 0, count: block - rest)
    }

    /// The size in a header whose file is not listed: those of the signature and of the list itself.
    static func size(in header: [UInt8]) -> UInt64? {
        guard header.count == block, header[135] == 0 else { return nil }
        var size: UInt64 = 0
        for digit in header[124..<135] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            size = size << 3 | UInt64(digit - UInt8(ascii: "0"))
        }
        return size
    }

    private static func blockOf(_ name: [UInt8], size: UInt64, isExecutable: Bool, type: UInt8) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ bytes: some Collection<UInt8>, at place: Int) {
            header.replaceSubrange(place..<(place + bytes.count), with: bytes)
        }
        put(name, at: 0)
        put((isExecutable ? "0000755" : "0000644").utf8, at: 100)
        put("0000000".utf8, at: 108)
        put("0000000".utf8, at: 116)
        put(octal(size, digits: 11), at: 124)
        put("00000000000".utf8, at: 136)
        put("        ".utf8, at: 148)
        header[156] = type
        put("ustar".utf8, at: 257)
        put("00".utf8, at: 263)
        put("0000000".utf8, at: 329)
        put("0000000".utf8, at: 337)
        let sum = header.reduce(UInt64(0)) { $0 + UInt64($1) }
        put(octal(sum, digits: 6) + [0, UInt8(ascii: " ")], at: 148)
        return header
    }

    private static func octal(_ value: UInt64, digits: Int) -> [UInt8] {
        (0..<digits).reversed().map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value >> (3 * UInt64($0)) & 7) }
    }

    /// A record states its own length, digits included.
    private static func paxRecord(_ key: String, _ value: String) -> [UInt8] {
        let body = [UInt8](" \(key)=\(value)\n".utf8)
        var length = body.count + 1
        while "\(length)".utf8.count + body.count != length { length += 1 }
        return "\(length)".utf8 + body
    }
}
