import AdminMessages
import Crypto
import Foundation
import Testing
import martlet

/// An exported log is checked by what stands in it, and whatever was done to it is found.
struct ExportedLogTests {
    @Test func aLogFromItsBeginningOrFromWhereItWasCutIsWhole() throws {
        let whole = try Self.verify(Self.lines(entries: 4))
        #expect(whole.intact && whole.entries == 4 && whole.first == 1 && whole.head?.count == 64)
        let pruned = try Self.verify(Self.lines(entries: 4, first: 8, isRecorded: true))
        #expect(pruned.intact && pruned.entries == 4 && pruned.first == 8)
        let empty = try Self.verify(Self.lines(entries: 0))
        #expect(empty.intact && empty.entries == 0 && empty.head == nil)
    }

    @Test func whateverWasDoneToItIsFound() throws {
        let lines = try Self.lines(entries: 4)
        func expect(_ place: Int, _ lines: [AuditExportLine], _ what: String) throws {
            let found = try Self.verify(lines)
            #expect(!found.intact && found.brokenAt == place, "\(what): \(found)")
        }
        for place in 1...4 {
            for (what, change) in [
                ("actor", { $0.actor = "x" }), ("action", { $0.action = "x" }), ("subject", { $0.subject = "x" }),
                ("details", { $0.details = "{ }" }), ("time", { $0.time = Date(timeIntervalSince1970: 5) }),
                ("sequence", { $0.sequence = 9 }), ("hash", { $0.hash = String(repeating: "0", count: 64) }),
            ] as [(String, (inout AuditExportLine) -> Void)] {
                var changed = lines
                change(&changed[place])
                try expect(place, changed, what)
            }
            var removed = lines
            removed.remove(at: place)
            try expect(place, removed, "removed \(place)")
        }
        try expect(5, lines.dropLast(), "cut")
        var counted = lines
        counted[5].entries = 3
        try expect(5, counted, "another number of entries")
        var begun = lines
        begun[0].previous = String(repeating: "1", count: 64)
        try expect(1, begun, "something before the first")
        try expect(8, Self.lines(entries: 4, first: 8, isRecorded: false), "a beginning that nothing records")
        let after = try Self.lines(entries: 4, previous: Data(repeating: 7, count: 32))
        try expect(1, after, "a chain that fits, behind something that is not there")
    }

    @Test func whatIsNoLogIsRefused() throws {
        let lines = try Self.lines(entries: 1)
        for other in [[], Array(lines.dropFirst()), lines + [lines[1]]] {
            #expect(throws: Failure.self) { try Self.verify(other) }
        }
        var log = ExportedLog()
        #expect(throws: Failure.self) { try log.take(Data("{".utf8)) }
    }

    /// A file is read to its end, whether that is a line's or not, and no line of it is longer than any of a log's.
    @Test func aFileIsReadWithinBounds() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "audit.jsonl")
        func verify(_ bytes: Data) throws -> AuditVerification {
            try bytes.write(to: file)
            return try ExportedLog.verify(fileAt: file.path)
        }
        let lines = try Self.lines(entries: 900).map { try AdminJSON.encode($0) }
        let whole = Data(lines.joined(separator: Data("\n".utf8)))
        #expect(try verify(whole).intact, "without an end of its last line")
        #expect(try verify(whole + Data("\n".utf8)).entries == 900)
        let cut = try verify(whole.dropLast((lines.last?.count ?? 0) + 1))
        #expect(!cut.intact && cut.brokenAt == 901)
        #expect(throws: Failure.self) { try verify(whole + Data("\n".utf8) + lines[3]) }
        // Bytes that do not become a line are not gathered, whatever they would become.
        let spaces = Data(repeating: UInt8(ascii: " "), count: 2 * ExportedLog.longestLine)
        #expect(throws: Failure.self) { try verify(spaces + whole) }
        #expect(throws: Failure.self) { try ExportedLog.verify(fileAt: file.path + "x") }
    }

    // MARK: help

    private static func verify(_ lines: [AuditExportLine]) throws -> AuditVerification {
        var log = ExportedLog()
        for line in lines { try log.take(AdminJSON.encode(line)) }
        return try log.finished()
    }

    /// A log as the server writes it.
    private static func lines(
        entries: Int, first: Int = 1, previous: Data? = nil, isRecorded: Bool = false
    ) throws -> [AuditExportLine] {
        var head = previous ?? (first == 1 ? Data(count: 32) : Data(repeating: 7, count: 32))
        var beginning = AuditExportLine()
        (beginning.martletAudit, beginning.first, beginning.previous) = (1, first, hex(head))
        var lines = [beginning]
        for sequence in first..<(first + entries) {
            var line = AuditExportLine()
            let records = isRecorded && sequence == first + 1
            (line.sequence, line.time) = (sequence, Date(timeIntervalSince1970: 1_800_000_000 + Double(sequence)))
            (line.actor, line.action) = ("administrator:anna", records ? "audit.prune" : "group.create")
            line.subject = "g\(sequence)/é"
            line.details = records ? "{\"hash\":\"\(beginning.previous ?? "")\",\"through\":\(first - 1)}" : "{}"
            var hash = SHA256()
            for part in [
                head, Data("\(sequence)".utf8), Data("\(1_800_000_000 + sequence)".utf8),
                Data((line.actor ?? "").utf8), Data((line.action ?? "").utf8), Data((line.subject ?? "").utf8),
                Data((line.details ?? "").utf8),
            ] {
                hash.update(data: Data("\(part.count):".utf8) + part)
            }
            head = Data(hash.finalize())
            line.hash = hex(head)
            lines.append(line)
        }
        var end = AuditExportLine()
        (end.entries, end.head) = (entries, hex(head))
        return lines + [end]
    }

    private static func hex(_ bytes: Data) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
