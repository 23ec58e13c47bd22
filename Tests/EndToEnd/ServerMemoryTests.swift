import Foundation
import Testing

/// A13: the server asks the C library to keep little memory; what that does is in `HeapTests`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ServerMemoryTests {
    /// Red where the server does not ask for it: each thread that is busy then has a heap of its own.
    @Test(.enabled(if: geteuid() == 0, "only root sees the mappings of the server"))
    func theThreadsOfTheServerShareAHeap() async throws {
        try await Road.with { road in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { _ = try await road.martlet("device", "list") }
                }
                try await group.waitForAll()
            }
            let process = try road.server.identifier
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count
            #expect(threads > 4, "else nothing is seen here")
            guard let heaps = try Self.heaps(of: process) else {
                return print("the mappings of the server cannot be read here: its heaps are not counted")
            }
            // Beside the first, which has no such form.
            #expect(heaps <= 1, "\(threads) threads have \(heaps) heaps")
        }
    }

    /// The heaps of glibc beside the first: each begins at a multiple of 64 MiB, and the rest of these is reserved.
    private static func heaps(of process: Int32) throws -> Int? {
        // As a whole: Foundation takes a page of such a file for all of it.
        guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/maps"), let read = try file.readToEnd() else {
            return nil
        }
        let mappings = String(decoding: read, as: UTF8.self).split(separator: "\n").compactMap { Mapping($0) }
        let size: UInt64 = 64 << 20
        return zip(mappings, mappings.dropFirst()).count { heap, rest in
            heap.begin.isMultiple(of: size) && heap.isAnonymous && heap.rights == "rw-p" && rest.rights == "---p"
                && rest.begin == heap.end && rest.end - heap.begin == size
        }
    }

    /// A line of `/proc/PID/maps`.
    private struct Mapping {
        let begin, end: UInt64
        let rights: Substring
        let isAnonymous: Bool

        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            guard fields.count >= 5 else { return nil }
            let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard range.count == 2 else { return nil }
            begin = range[0]
            end = range[1]
            rights = fields[1]
            isAnonymous = fields.count == 5
        }
    }
}
