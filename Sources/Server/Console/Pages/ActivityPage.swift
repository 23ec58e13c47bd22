import AdminMessages
import Foundation

/// Who did what to what.
enum ActivityPage {
    static let routes = [ConsoleRoute(.get, "/activity", serve: show)]
    private static let filters = [("actor", "Who"), ("action", "What"), ("subject", "To what")]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = (filters.map(\.0) + ["cursor"]).compactMap { name in call.query(name).map { (name, $0) } }
        let entries: Page<AuditEntry> = try await call.door.get(RequestPath.text(["audit"], query: query))
        let fields = filters.map { Field($0.0, $0.1, value: call.query($0.0) ?? "").line }
        let content =
            entries.items.isEmpty
            ? EmptyState.html("Nothing is like this", "Change the filters, or show all.")
            : "\(table(entries.items, call))\(Pager.html(next: entries.next, in: ["activity"], call))"
        return call.page("Activity", in: .activity, "\(Filters.html(of: ["activity"], fields))\(content)")
    }

    private static func table(_ entries: [AuditEntry], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Activity", columns: ["What", "To what", "Who", "When", "More"],
            rows: entries.map { entry in
                [
                    Code.html(entry.action), "\(entry.subject)", "\(entry.actor)",
                    Moment.html(entry.time, now: call.request.now), details(entry.details),
                ]
            }
        ).html
    }

    private static func details(_ details: JSON) -> HTML {
        guard case .object(let members) = details, !members.isEmpty,
            let text = try? AdminJSON.encode(details)
        else { return .empty }
        return "<code>\(String(decoding: text, as: UTF8.self))</code>"
    }
}
