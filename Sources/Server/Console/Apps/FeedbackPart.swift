import AdminMessages
import AppSpecification
import Foundation

/// What an app counted on devices: the app's own words, of any length within its bounds, so each is cut and escaped.
enum FeedbackPart {
    static let routes = [ConsoleRoute(.post, "/devices/{device}/feedback", serve: fetch)]

    /// The query of an app's page: the number whose devices are shown.
    static let key = "feedback"
    /// The most numbers, days and devices on the page.
    static let most = 50
    private static let latest = 10
    private static let longest = 300

    // MARK: Of an app

    /// The sums of the last week, the devices with most of the number that was chosen, and the latest hand-overs.
    ///
    /// Sums and devices are of the chosen version of a configuration and later ones, if one is chosen.
    static func ofApp(
        _ app: String, _ configurations: [ConfigurationSummary], _ call: ConsoleCall
    ) async throws -> HTML {
        let chosen = call.query(key)
        let since = FeedbackSince(call.query(FeedbackSince.key), among: configurations)
        let asked: [(String, String)] = (chosen.map { [("key", $0)] } ?? []) + (since?.query ?? [])
        let summary: FeedbackSummary = try await call.door.get(
            RequestPath.text(["apps", app, "feedback", "summary"], query: asked))
        let said = try await EditedConfiguration.specification(of: app, call.door)?.feedback ?? []
        let form = FeedbackSince.form(since, number: chosen, of: configurations)
        let unknown = FeedbackSince.leftOut(of: summary)
        let sums: HTML
        if !summary.totals.isEmpty {
            let rest: HTML = "\(more(numbers(in: summary.totals).count))\(leftOut(of: summary))"
            sums = "\(form)\(table(summary.totals, said, app, since))\(unknown)\(rest)"
        } else if since != nil {
            sums = "\(form)<p>Nothing was counted with this version or a later one in the last week.</p>\(unknown)"
        } else {
            sums = EmptyState.html(
                "Nothing was counted in the last week",
                """
                An app that counts under <code>com.apple.feedback.managed</code> hands it over about once an hour. To \
                ask at once use <code>martlet feedback fetch</code>.
                """)
        }
        let most: HTML? = chosen.map { devices($0, summary.devices ?? [], said) }
        var course: HTML?
        if let chosen, !chosen.isEmpty {
            let trend: FeedbackTrend = try await call.door.get(
                RequestPath.text(["apps", app, "feedback", "trend"], query: [("key", chosen)]))
            course = days(trend, said)
        }
        let page: Page<AppFeedback> = try await call.door.get(
            RequestPath.text(["apps", app, "feedback"], query: [("limit", "\(latest)")]))
        let handed: HTML? = try page.items.isEmpty ? nil : handOvers(page.items, call)
        return Panel.html("Feedback", "\(sums)\(course)\(most)\(handed)")
    }

    private static func table(
        _ totals: [FeedbackSum], _ said: [SpecifiedFeedback], _ app: String, _ since: FeedbackSince?
    ) -> HTML {
        Table(
            caption: "Sums of the last week", columns: ["Number", "Sum", "Devices", "Dictionary"],
            rows: shown(totals).map { total -> [HTML] in
                [
                    name(total.key, said, app, since), "\(number(total.sum))", "\(total.devices)",
                    dictionary(total.configuration, isOfOthers: total.isOfOthers),
                ]
            }
        ).html
    }

    /// The keys, each once, in the order of their sums.
    private static func numbers(in totals: [FeedbackSum]) -> [String] {
        var keys: [String] = []
        for total in totals where keys.last != total.key { keys.append(total.key) }
        return keys
    }

    /// The sums of the first keys, each key with all of its versions.
    private static func shown(_ totals: [FeedbackSum]) -> [FeedbackSum] {
        let keys = Set(numbers(in: totals).prefix(most))
        return totals.filter { keys.contains($0.key) }
    }

    private static func leftOut(of summary: FeedbackSummary) -> HTML? {
        guard summary.isCut == true else { return nil }
        return """
            <p class="muted">Numbers that few devices count are left out, and dictionaries that few had are summed as \
            others. The numbers that the app's specification names are all counted.</p>
            """
    }

    /// The label of a sum: a version of the dictionary, none, or all other versions.
    private static func dictionary(_ configuration: String?, isOfOthers: Bool?) -> HTML {
        guard isOfOthers != true else { return "<span class=\"muted\">others</span>" }
        return configuration.map { Code.html(String($0.prefix(12))) } ?? "<span class=\"muted\">none</span>"
    }

    private static func name(
        _ key: String, _ said: [SpecifiedFeedback], _ app: String, _ since: FeedbackSince?
    ) -> HTML {
        let one = said.first { $0.key == key }
        let query = [(Self.key, key)] + (since.map { [(FeedbackSince.key, $0.text)] } ?? [])
        let link = Link.html(cut(one?.title ?? key), ["apps", app], query: query)
        let hints = [one?.description, one?.purpose, one?.retention.map { "Kept: \($0)" }].compactMap(\.self)
        let words: HTML? =
            hints.isEmpty ? nil : "<p class=\"muted\">\(hints.map(cut).joined(separator: " "))</p>"
        return "\(link)\(words)"
    }

    private static func devices(_ key: String, _ found: [FeedbackDevice], _ said: [SpecifiedFeedback]) -> HTML {
        let title = cut(said.first { $0.key == key }?.title ?? key)
        guard !found.isEmpty else { return "<p>No device counted anything as \(title) in the last week.</p>" }
        let table = Table(
            caption: "Devices with most of \(title)", columns: ["Device", "Sum"],
            rows: found.prefix(most).map { one -> [HTML] in
                [Link.ifThere(one.device, ["devices", one.device]), "\(number(one.sum))"]
            })
        return "<h3>Devices with most of \(title)</h3>\(table.html)\(more(found.count))"
    }

    /// The sums of the last month by day, the newest first.
    private static func days(_ trend: FeedbackTrend, _ said: [SpecifiedFeedback]) -> HTML? {
        guard !trend.steps.isEmpty else { return nil }
        let title = cut(said.first { $0.key == trend.key }?.title ?? trend.key)
        let days = Set(trend.steps.map(\.from)).sorted(by: >)
        let shown = Set(days.prefix(most))
        let table = Table(
            caption: "Sums of \(title) by day, in Greenwich", columns: ["Day", "Sum", "Devices", "Dictionary"],
            rows: trend.steps.reversed().filter { shown.contains($0.from) }.map { step -> [HTML] in
                [
                    "\(day(step.from))", "\(number(step.sum))", "\(step.devices)",
                    dictionary(step.configuration, isOfOthers: step.isOfOthers),
                ]
            })
        let others: HTML? =
            trend.isCut == true
            ? "<p class=\"muted\">Dictionaries that few devices had are summed together, as others.</p>" : nil
        return "<h3>\(title) by day</h3>\(table.html)\(more(days.count, "trend"))\(others)"
    }

    // MARK: Of a device

    /// The latest hand-overs of the apps on a device; nothing for who may not see them.
    static func ofDevice(_ device: DeviceDetail, _ call: ConsoleCall) async throws -> HTML? {
        guard call.may(.lookInside) else { return nil }
        let page: Page<AppFeedback>
        do {
            page = try await call.door.get(
                RequestPath.text(["devices", device.id, "feedback"], query: [("limit", "\(latest)")]))
        } catch let refusal as AdminRefused where [403, 404].contains(refusal.status) {
            // An owner of apps sees the feedback of a device on the pages of their apps.
            return nil
        }
        let ask: HTML =
            call.may(.help) && device.isServed
            ? call.form(
                to: ConsolePath.text(["devices", device.id, "feedback"]),
                "<button type=\"submit\" class=\"quiet\">Ask for it now</button>")
            : .empty
        let content: HTML =
            try page.items.isEmpty
            ? "<p class=\"muted\">No app on the device handed over what it counted.</p>"
            : handOvers(page.items, call)
        return Panel.html("Feedback", aside: ask, content)
    }

    /// Asks the device for the feedback of all its apps; a device whose agent knows none refuses in the API's words.
    private static func fetch(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let device = call.parameter("device")
        try await call.door.send(
            "POST", RequestPath.text(["devices", device, "feedback", "fetch"]), FeedbackFetchRequest())
        return .seeOther(["devices", device], .queued)
    }

    // MARK: Values

    private static func handOvers(_ items: [AppFeedback], _ call: ConsoleCall) throws -> HTML {
        Table(
            caption: "Latest hand-overs", columns: ["App", "Device", "Handed over", "Feedback", "Refused notes"],
            rows: try items.prefix(latest).map { one -> [HTML] in
                [
                    Link.ifThere(one.app, ["apps", one.app]), Link.ifThere(one.device, ["devices", one.device]),
                    Moment.html(one.to, now: call.request.now), Code.html(try text(one.feedback)), "\(one.refused)",
                ]
            }
        ).html
    }

    private static func text(_ feedback: JSON) throws -> String {
        cut(String(decoding: try AdminJSON.encode(feedback), as: UTF8.self))
    }

    private static func more(_ count: Int, _ command: String = "show") -> HTML? {
        count > most ? "<p class=\"muted\">\(count - most) more: <code>martlet feedback \(command)</code>.</p>" : nil
    }

    private static func day(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle().year().month().day()) }

    private static func number(_ sum: Double) -> String { Int(exactly: sum).map { "\($0)" } ?? "\(sum)" }

    private static func cut(_ text: String) -> String {
        text.count > longest ? String(text.prefix(longest)) + "…" : text
    }
}
