import AdminMessages

/// The audit log: the actor, the action and the subject of each entry.
enum ActivityPage {
    static let routes = [
        ConsoleRoute(.get, "/activity", serve: show),
        // The whole log, whatever the page is narrowed to: with a part of it nobody could tell that nothing is missing.
        ConsoleRoute(.get, "/activity/export", serve: export),
    ]
    private static let filters = [
        ("actor", "Who"), ("action", "What"), ("subject", "To what"), ("since", "From this day on"),
        ("until", "Before this day"),
    ]
    private static let hints = [
        "action": "Such as secret.set, or all of a kind: secret.*", "since": "Such as 2026-01-31.",
        "until": "Such as 2026-01-31.",
    ]

    private static func export(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        // Ask first, so that a refusal is a page, as everywhere.
        let _: Page<AuditEntry> = try await call.door.get(RequestPath.text(["audit"], query: [("limit", "1")]))
        return .passedOn(RequestPath.text(["audit", "export"]))
    }

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = (filters.map(\.0) + ["cursor"]).compactMap { name in
            call.query(name).map { (name, moment($0, name)) }
        }
        let fields = filters.map { field in
            Field(field.0, field.1, value: call.query(field.0) ?? "", hint: hints[field.0]).line
        }
        let filtering = Filters.html(of: ["activity"], fields)
        let entries: Page<AuditEntry>
        do {
            entries = try await call.door.get(RequestPath.text(["audit"], query: query))
        } catch let refusal as AdminRefused where refusal.status == 400 {
            return call.page(
                "Activity", in: .activity, status: 400, "\(ProblemPage.alert(refusal.problem))\(filtering)")
        }
        let found: HTML =
            !entries.items.isEmpty
            ? table(entries.items, call)
            : entries.next == nil
                ? EmptyState.html("No entry matches", "Change the filters, or show all.")
                : EmptyState.html(
                    "No entry matches so far", "The next page looks at older entries. Narrower filters search faster."
                )
        let content: HTML = "\(found)\(Pager.html(next: entries.next, in: ["activity"], call))"
        return call.page(
            "Activity", in: .activity, aside: actions(call), "\(filtering)\(content)")
    }

    private static func actions(_ call: ConsoleCall) -> HTML {
        """
        <div class="row"><a href="\(ConsolePath.text(["activity", "export"]))" download>Save the whole log as a file</a>\
        \(JobPages.verification(call))</div>
        """
    }

    /// A day begins at midnight, in UTC; whatever else is typed the API judges.
    private static func moment(_ text: String, _ name: String) -> String {
        ["since", "until"].contains(name) && text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil
            ? text + "T00:00:00Z" : text
    }

    private static func table(_ entries: [AuditEntry], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Activity", columns: ["What", "To what", "Who", "When", "Entry", "More"],
            rows: entries.map { entry in
                [
                    Code.html(entry.action), "\(entry.subject)", "\(entry.actor)",
                    Moment.html(entry.time, now: call.request.now), "\(entry.sequence)", AuditDetails.html(of: entry),
                ]
            }
        ).html
    }
}
