import AdminMessages

/// Changes as they travel to devices: on how many each has arrived.
enum ChangeJourneys {
    /// Those that some device lacks or refuses, or that there are none, and since when they are followed.
    static func panel(_ overview: Overview, _ call: ConsoleCall) -> HTML {
        let changes = (overview.changes ?? []).filter { !$0.hasArrived }
        let since: HTML? = overview.changesSince.map { moment in
            "<p class=\"hint\">Of the last changes since \(Moment.exact(moment)), when the server started.</p>"
        }
        guard changes.isEmpty else {
            return Panel.html("On the way to devices, or refused there", "\(html(changes, call))\(since)")
        }
        guard let since, !overview.apps.isEmpty else { return .empty }
        return Panel.html("Changes to devices", "<p>None is on its way.</p>\(since)")
    }

    private static func html(_ changes: [ChangeJourney], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Changes on their way to devices, or refused there",
            columns: ["Change", "State", "When", "Fetched", "Arrived"],
            rows: changes.map { change in
                [
                    what(change), badge(change).html, Moment.html(change.time, now: call.request.now),
                    "<span class=\"number\">\(change.fetched) of \(change.devices)</span>", arrived(change),
                ]
            }
        ).html
    }

    private static func what(_ change: ChangeJourney) -> HTML {
        let version = change.version.map { ", version \($0)" } ?? ""
        switch (change.kind.prefix { $0 != "." }, change.app, change.name) {
        case ("configuration", let app?, let name?):
            return "Configuration \(Link.html(name, ["apps", app, "configurations", name]))\(version)"
        case ("assignment", let app?, _):
            let word: HTML = change.kind == "assignment.remove" ? "taken from" : "given to"
            return "\(Link.html(app, ["apps", app])) \(word) \(change.group ?? "")"
        case ("secret", _, let name?): return "Secret \(name)\(version)"
        case ("setting", _, let name?):
            guard let group = change.group else { return "Setting \(name)\(version)" }
            return "Setting \(name) \(change.kind == "setting.unassign" ? "taken from" : "given to") \(group)"
        case (_, let app?, _): return "\(Link.html(app, ["apps", app])) \(Code.html(change.kind))"
        default: return Code.html(change.kind)
        }
    }

    private static func badge(_ change: ChangeJourney) -> Badge {
        if change.refused > 0 { return Badge(.bad, "Refused on \(change.refused)") }
        if change.hasArrived { return Badge(.good, "Arrived") }
        return Badge(.busy, "On its way")
    }

    /// The bar only repeats the numbers beside it.
    private static func arrived(_ change: ChangeJourney) -> HTML {
        let width = change.devices == 0 ? 0 : min(change.settled * 1_000 / change.devices, 1_000)
        let tone = change.refused > 0 ? Badge.Tone.bad : .busy
        return """
            <span class="bar"><span class="number">\(change.settled) of \(change.devices)</span>\
            <svg class="\(tone.rawValue)" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" \
            focusable="false"><rect width="\(width)" height="10" rx="2"/></svg></span>
            """
    }
}
