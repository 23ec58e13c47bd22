import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management
import NIOCore

/// The audit log as a file: a beginning, an entry in each line, and an end without which the file was cut.
enum AuditExport {
    /// The answer is streamed while the log is read; a slow reader holds at most a part of it in memory.
    static func response(of log: AuditExcerpt) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/jsonl", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"audit.jsonl\"",
            ],
            body: ResponseBody { writer in
                var place = log.anchor?.sequence ?? 0
                var head = log.anchor?.hash ?? AuditEntryRecord.beginning
                var beginning = AuditExportLine()
                (beginning.martletAudit, beginning.first) = (1, place + 1)
                beginning.previous = Hexadecimal.text(head)
                try await writer.write(text(of: [beginning]))
                let before = place
                while true {
                    let entries = try await StoreReaders.$current.withValue(.administrators) {
                        try await log.entries(after: place)
                    }
                    guard let last = entries.last else { break }
                    (place, head) = (last.sequence, last.hash)
                    try await writer.write(text(of: entries.map(line)))
                }
                var end = AuditExportLine()
                (end.entries, end.head) = (place - before, Hexadecimal.text(head))
                try await writer.write(text(of: [end]))
                try await writer.finish(nil)
            })
    }

    private static func line(_ entry: AuditEntryRecord) -> AuditExportLine {
        var line = AuditExportLine()
        (line.sequence, line.time) = (entry.sequence, entry.time)
        (line.actor, line.action, line.subject) = (entry.actor, entry.action, entry.subject)
        (line.details, line.hash) = (entry.details, Hexadecimal.text(entry.hash))
        return line
    }

    private static func text(of lines: [AuditExportLine]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for line in lines {
            buffer.writeBytes(try AdminJSON.encode(line))
            buffer.writeInteger(UInt8(ascii: "\n"))
        }
        return buffer
    }
}
