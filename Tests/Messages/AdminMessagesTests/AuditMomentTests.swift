import AdminMessages
import Foundation
import Testing

/// A moment in an entry of the audit log is known as one, whatever wrote the entry.
struct AuditMomentTests {
    private static let server = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Server").standardizedFileURL

    private static func sources() throws -> [(name: String, text: String)] {
        let below = try #require(FileManager.default.enumerator(at: server, includingPropertiesForKeys: nil))
        return try below.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
            (name: file.lastPathComponent, text: try String(contentsOf: file, encoding: .utf8))
        }
    }

    /// Red where a writer's moment has a name that the command line and the console do not know.
    @Test func theListHasTheMomentsThatTheServerWrites() throws {
        var written: [String] = []
        for source in try Self.sources() {
            written += source.text.matches(of: /"(\w+)"\]?\s*[:=]\s*\.moment\(/).map { String($0.1) }
        }
        #expect(written.count >= 10)
        #expect(Set(written) == AuditEntry.moments)
    }

    /// Red where a writer puts seconds into an entry as it puts any number: people would read the number.
    @Test func theServerWritesMomentsInNoOtherWay() throws {
        let writers = try Self.sources().filter { source in
            source.text.contains(/\baudit\(|\bAudit(?:Record|Tail)\b/) && source.name != "SQLiteStore+Audit.swift"
        }
        #expect(writers.count >= 20)
        let ofTime = /\.integer\([^,\n]*(?:[Ss]econds|1970|[Aa]fter|[Ee]xpire|[Cc]reated|[Ss]ince|[Uu]ntil|[Ee]nd)/
        for writer in writers {
            let raw = writer.text.matches(of: ofTime)
            #expect(raw.isEmpty, "\(writer.name): \(raw.map { String($0.0) })")
        }
    }

    @Test func onlyAKnownNameWithSecondsIsAMoment() {
        let moment = Date(timeIntervalSince1970: 1_795_000_000)
        #expect(AuditEntry.moment(.integer(1_795_000_000), of: "expires") == moment)
        #expect(AuditEntry.moment(.integer(1_795_000_000), of: "size") == nil)
        for value: JSON in [.string("1795000000"), .integer(-1), .integer(.max), .null] {
            #expect(AuditEntry.moment(value, of: "expires") == nil)
        }
    }
}
