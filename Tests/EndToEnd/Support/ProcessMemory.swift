import Foundation
import Waiting

/// The memory of a running process: what a core dump would hold.
struct ProcessMemory {
    /// A piece that was looked for, and where it was.
    struct Finding: CustomStringConvertible {
        let what: String
        let place: String

        var description: String { "\(what) in \(place)" }
    }

    let process: Int32

    /// Looks for pieces of bytes in everything that the process can write to, while it stands still.
    ///
    /// Root may look into every process, others into those of theirs that do not forbid it, as ours do.
    func find(_ pieces: [(what: String, bytes: Data)]) throws -> [Finding] {
        try freeze(process)
        defer { kill(process, SIGCONT) }
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
        defer { try? memory.close() }
        var found: [Finding] = []
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
            let place = fields.count > 5 ? String(fields[5]) : "memory of its own"
            let longest = UInt64(pieces.map(\.bytes.count).max() ?? 0)
            // Parts that overlap, so that nothing lies across an end.
            let step: UInt64 = 16 << 20
            for start in stride(from: ends[0], to: ends[1], by: UInt64.Stride(step)) {
                try memory.seek(toOffset: start)
                let length = min(step + longest, ends[1] - start)
                guard let part = try memory.read(upToCount: Int(length)) else { continue }
                for piece in pieces where part.contains(bytesOf: piece.bytes) {
                    found.append(Finding(what: piece.what, place: place))
                }
            }
        }
        return found
    }
}

/// The C library's own search, which its header shows to C alone.
@_silgen_name("memmem")
private func memmem(
    _ all: UnsafeRawPointer, _ count: Int, _ piece: UnsafeRawPointer, _ length: Int
) -> UnsafeRawPointer?

extension Data {
    func contains(bytesOf piece: Data) -> Bool {
        unsafe withUnsafeBytes { all in
            unsafe piece.withUnsafeBytes { piece in
                guard let start = all.baseAddress, let wanted = piece.baseAddress else { return false }
                return unsafe memmem(start, all.count, wanted, piece.count) != nil
            }
        }
    }
}

/// A secret, and every form in which somebody might find it.
struct PlantedSecret {
    let name: String
    let bytes: Data

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// As it is, backwards as numbers are kept, in hexadecimal, in UTF-16 and inside of base64 at each of three places.
    var pieces: [(what: String, bytes: Data)] {
        var forms = [
            (name, bytes), ("\(name) backwards", Data(bytes.reversed())),
            ("\(name) in hexadecimal", Data(bytes.map { String(format: "%02x", $0) }.joined().utf8)),
            ("\(name) in UTF-16", Data(bytes.flatMap { [$0, 0] })),
        ]
        for before in 0..<3 {
            let text = (Data(count: before) + bytes).base64EncodedString()
            // The first and the last characters depend on what is beside it.
            let inner = text.dropFirst(before == 0 ? 0 : before + 1).dropLast(4)
            forms.append(("\(name) in base64", Data(inner.utf8)))
        }
        return forms
    }
}
