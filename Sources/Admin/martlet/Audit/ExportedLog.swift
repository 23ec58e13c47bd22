package import AdminMessages
import Crypto
package import Foundation
import InputBounds

/// Follows the chain of an exported audit log with nothing but its lines; the server has no part in it.
///
/// Each hash is SHA-256 over the hash before and the entry's sequence, seconds since 1970, actor, action, subject and
/// details, each part after its length in bytes and a colon.
package struct ExportedLog: Sendable {
    /// The details of an entry are far below.
    package static let longestLine = 1 << 20

    private var beginning: (first: Int, previous: Data)?
    private var length = 0
    private var head = Data()
    private var isRecorded = true
    private var isEnded = false
    private var fault: (place: Int, rule: String)?

    package init() {}

    /// Takes the next line.
    package mutating func take(_ text: Data) throws(Failure) {
        guard fault == nil else { return }
        guard !isEnded, let line = try? AdminJSON.decode(AuditExportLine.self, from: text) else { throw Self.noLog }
        guard beginning != nil else { return try begin(line) }
        if let count = line.entries { return end(count, line.head) }
        follow(line)
    }

    /// What came of it, when there are no more lines.
    package func finished() throws(Failure) -> AuditVerification {
        guard let first = beginning?.first else { throw Self.noLog }
        var found = fault
        if found == nil, !isEnded { found = (length + 1, "the log says how it ends") }
        if found == nil, !isRecorded { found = (first, "where the log begins is recorded in it") }
        return AuditVerification(
            intact: found == nil, entries: length - first + 1, first: first,
            head: length >= first ? Self.digits(head) : nil, brokenAt: found?.place, rule: found?.rule)
    }

    private mutating func begin(_ line: AuditExportLine) throws(Failure) {
        guard line.martletAudit == 1, let first = line.first, first > 0,
            let previous = line.previous.flatMap(Self.bytes)
        else { throw Self.noLog }
        beginning = (first, previous)
        (length, head) = (first - 1, previous)
        isRecorded = first == 1
        if first == 1, previous != Data(count: 32) { fault = (1, "nothing is before the first entry") }
    }

    private mutating func follow(_ line: AuditExportLine) {
        guard line.sequence == length + 1, let hash = line.hash.flatMap(Self.bytes), hash == digest(of: line) else {
            fault = (length + 1, "each entry follows from the one before")
            return
        }
        (length, head) = (length + 1, hash)
        guard let beginning, !isRecorded, line.action == "audit.prune" else { return }
        let details = #"{"hash":"\#(Self.digits(beginning.previous))","through":\#(beginning.first - 1)}"#
        if line.details == details { isRecorded = true }
    }

    private mutating func end(_ count: Int, _ said: String?) {
        isEnded = true
        guard let beginning, count == length - beginning.first + 1, said == Self.digits(head) else {
            fault = (length + 1, "the log ends where it says")
            return
        }
    }

    private func digest(of line: AuditExportLine) -> Data? {
        guard let sequence = line.sequence, let time = line.time, let actor = line.actor, let action = line.action,
            let subject = line.subject, let details = line.details
        else { return nil }
        var hash = SHA256()
        let seconds = Int64(time.timeIntervalSince1970.rounded(.down))
        for part in [
            head, Data("\(sequence)".utf8), Data("\(seconds)".utf8), Data(actor.utf8), Data(action.utf8),
            Data(subject.utf8), Data(details.utf8),
        ] {
            hash.update(data: Data("\(part.count):".utf8))
            hash.update(data: part)
        }
        return Data(hash.finalize())
    }

    private static func bytes(_ digits: String) -> Data? {
        let values = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        return Data(stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    private static func digits(_ bytes: Data) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static let noLog = Failure(
        .failed, "this is no exported audit log", advice: "martlet audit export writes one.")
}

extension ExportedLog {
    /// Reads a whole file, a part at a time.
    package static func verify(fileAt path: String) throws -> AuditVerification {
        let file = try ReadFile.opened(path)
        defer { try? file.close() }
        var log = ExportedLog()
        var rest = Data()
        while let part = try file.read(upToCount: 1 << 16), !part.isEmpty {
            rest += part
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try log.take(Data(rest[rest.startIndex..<end]))
                rest = Data(rest[(end + 1)...])
            }
            guard rest.count <= longestLine else { throw noLog }
        }
        if !rest.isEmpty { try log.take(rest) }
        return try log.finished()
    }
}
