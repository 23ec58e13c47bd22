import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// The audit log: who did what, and whether it is still what it was.
struct AuditRoutes: Sendable {
    /// The details of an entry are a few names and numbers.
    private static let details = InputLimits(bytes: 65_536, objects: 1_000)

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/audit", operation: "listAuditEntries",
                summary: """
                    What was done, newest first. Each entry's hash is over itself and the one before. A page looks at a bounded \
                    number of entries: it may hold fewer than its limit, or none, and still name a next one.
                    """,
                query: QueryParameter.paging + [
                    QueryParameter(name: "actor", schema: .string, summary: "Only what they did."),
                    QueryParameter(
                        name: "action", schema: .oneOf(AuditEntryRecord.Action.patterns),
                        summary: "Only what was done so: an action, or all of a kind, such as `secret.*`."),
                    QueryParameter(name: "subject", schema: .string, summary: "Only what was done to this."),
                    QueryParameter(name: "since", schema: .date, summary: "Not before this moment."),
                    QueryParameter(name: "until", schema: .date, summary: "Before this moment."),
                ], answer: .json(.page(of: "AuditEntry")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/audit/export", operation: "exportAudit",
                summary: """
                    The whole log, oldest first: a line that says where it begins, an entry in each line, and a line that says how \
                    it ends.
                    """,
                answer: .jsonLines(.named("AuditExportLine")),
                service: .session { call in AuditExport.response(of: try await management.auditExcerpt()) }),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let page = try await management.auditEntries(filter(of: call), call.page())
        return try AdminAnswer.page(page, AdminMessages.AuditEntry.init)
    }

    private func filter(of call: AdminCall) throws(HTTPProblem) -> AuditFilter {
        AuditFilter(
            actor: call.query("actor"), actions: try actions(call), subject: call.query("subject"),
            since: try time("since", call), until: try time("until", call))
    }

    private func actions(_ call: AdminCall) throws(HTTPProblem) -> [AuditEntryRecord.Action]? {
        guard let pattern = call.query("action") else { return nil }
        let actions = AuditEntryRecord.Action.matching(pattern)
        guard actions.isEmpty else { return actions }
        let nearest = NearestWord.to(pattern, among: AuditEntryRecord.Action.patterns)
        let known = AuditEntryRecord.Action.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPProblem(
            .badRequest, "invalid", "There is no such action in the audit log.",
            detail: (nearest.map { "Did you mean \"\($0)\"? " } ?? "")
                + "Known are: \(known); and all of a kind, such as secret.*.")
    }

    private func time(_ name: String, _ call: AdminCall) throws(HTTPProblem) -> Date? {
        guard let text = call.query(name) else { return nil }
        guard let time = Moment(text)?.date else {
            throw HTTPProblem(
                .badRequest, "invalid", "A time is written like 2026-01-31T12:00:00Z.", detail: "Wrong is “\(name)”.")
        }
        return time
    }

    fileprivate static func details(_ text: String) throws -> JSON {
        JSON(try JSONValue(parsing: Data(text.utf8), limits: details))
    }
}

extension AdminMessages.AuditEntry {
    fileprivate init(_ record: AuditEntryRecord) throws {
        self.init(
            sequence: record.sequence, time: record.time, actor: record.actor, action: record.action,
            subject: record.subject, details: try AuditRoutes.details(record.details),
            hash: Hexadecimal.text(record.hash))
    }
}
