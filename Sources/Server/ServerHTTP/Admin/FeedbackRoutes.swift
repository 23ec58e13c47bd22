import AdminMessages
import DeviceMessages
import Foundation
import Hummingbird
import InputBounds
import Management

/// What apps count on devices, and how devices are asked for it.
struct FeedbackRoutes: Sendable {
    private static let since = QueryParameter(
        name: "since", schema: .date, summary: "Of what was handed over then or later.")

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apps/{app}/feedback", operation: "listAppFeedback",
                summary: "What the app counted on devices, the newest first: the app's own words.",
                query: QueryParameter.paging + [
                    Self.since, QueryParameter(name: "device", schema: .string, summary: "Only on this device."),
                ], answer: .json(.page(of: "AppFeedback")), service: .session(ofApp)),
            AdminRoute(
                method: .get, path: "/apps/{app}/feedback/summary", operation: "showFeedbackSummary",
                summary: """
                    The sums of the numbers in the app's feedback, by key and version of its dictionary, of the last week \
                    without `since`: of the keys that its specification names and 100 others, by 10 versions and all others \
                    together; `isCut` says that there are more. With `key`, the devices on which that number came to more \
                    than `above`, 500 at most. With `sinceVersion`, only what came with that version of a configuration or \
                    a later one is counted; `unknownVersions` says how many hand-overs are left out because their version \
                    is not known. The sums begin with an hour, or, for more than a week, with a day in UTC: the answer's \
                    `since` is that moment.
                    """,
                query: [
                    Self.since, QueryParameter(name: "key", schema: .string, summary: "A number of the feedback."),
                    QueryParameter(name: "above", schema: .integer, summary: "What is too much; 0 without it."),
                    QueryParameter(
                        name: "configurations", schema: .string,
                        summary: "Versions of the dictionary, joined by commas: only devices with one of them."),
                    QueryParameter(
                        name: "sinceVersion", schema: .whole(1...Schema.integers.upperBound),
                        summary: "A version of a configuration that the app has as its dictionary."),
                    QueryParameter(
                        name: "configurationName", schema: .string,
                        summary: "The configuration of that version; it may be left out where the app has only one."),
                ], answer: .json(.named("FeedbackSummary")), service: .session(summary)),
            AdminRoute(
                method: .get, path: "/apps/{app}/feedback/trend", operation: "showFeedbackTrend",
                summary: """
                    The sums of a number in the app's feedback by interval and version of its dictionary, of the last 24 \
                    hours or 30 days without `since`; of 168 hours or 90 days at most, by 10 versions and all others \
                    together: then it says `isCut`.
                    """,
                query: [
                    Self.since, QueryParameter(name: "key", schema: .string, summary: "The number.", isRequired: true),
                    QueryParameter(
                        name: "interval", schema: .oneOf(FeedbackInterval.allCases.map(\.rawValue)),
                        summary: "What is summed together; `day` without it."),
                ], answer: .json(.named("FeedbackTrend")), service: .session(trend)),
            AdminRoute(
                method: .get, path: "/devices/{device}/feedback", operation: "listDeviceFeedback",
                summary: "What apps counted on the device, the newest first: the apps' own words.",
                query: QueryParameter.paging + [Self.since], answer: .json(.page(of: "AppFeedback")),
                service: .session(ofDevice)),
            AdminRoute(
                method: .post, path: "/devices/{device}/feedback/fetch", operation: "fetchFeedback",
                summary: "Have one app on the device, or all, hand their feedback over now.",
                body: .json(.named("FeedbackFetchRequest")), status: .created,
                answer: .json(.named("CommandSummary")), service: .session(fetch)),
        ]
    }

    private func ofApp(_ call: AdminCall) async throws -> Response {
        try await list(
            FeedbackFilter(app: call.parameter("app"), device: call.query("device"), since: Self.moment(call)), call)
    }

    private func ofDevice(_ call: AdminCall) async throws -> Response {
        try await list(FeedbackFilter(device: call.parameter("device"), since: Self.moment(call)), call)
    }

    private func list(_ filter: FeedbackFilter, _ call: AdminCall) async throws -> Response {
        let page = try await management.feedback(filter, call.page()).get()
        return try AdminAnswer.page(page, AppFeedback.init)
    }

    private func summary(_ call: AdminCall) async throws -> Response {
        let app = try call.parameter("app")
        let since = try management.feedbackIsSummed(since: Self.moment(call))
        let first = try await firstVersion(call, of: app)
        let found = try await management.feedbackTotals(of: app, since: since, sinceVersion: first).get()
        var summary = FeedbackSummary(
            since: since,
            totals: found.totals.map { total in
                FeedbackSum(
                    key: total.key, configuration: total.configuration.flatMap { $0.isEmpty ? nil : $0 },
                    isOfOthers: total.configuration == nil ? true : nil, sum: Self.written(total.sum),
                    devices: total.devices)
            }, isCut: found.isCut)
        if let key = call.query("key") {
            guard let above = Int(call.query("above") ?? "0") else {
                throw HTTPProblem(.badRequest, "invalid", "The parameter “above” is a whole number")
            }
            let names = call.query("configurations")?.split(separator: ",").map { String($0) }
            let devices = try await management.feedbackOutliers(
                of: app, counting: key, above: Double(above), since: since, sinceVersion: first,
                configurations: names)
            summary.devices = devices.map { FeedbackDevice(device: $0.device, sum: Self.written($0.sum)) }
        }
        if let first {
            summary.sinceVersion = first.number
            summary.configurationName = first.configuration
            summary.unknownVersions = try await management.feedbackOfUnknownVersion(
                of: app, counting: call.query("key"), since: since)
        }
        return try AdminAnswer.json(summary)
    }

    /// The first version whose feedback is asked for; nothing where everything is.
    private func firstVersion(_ call: AdminCall, of app: String) async throws -> FeedbackVersion? {
        let name = call.query("configurationName")
        guard let text = call.query("sinceVersion") else {
            guard name == nil else {
                throw HTTPProblem(
                    .badRequest, "invalid", "The parameter “configurationName” is for “sinceVersion” alone")
            }
            return nil
        }
        guard let number = Int(text), number > 0 else {
            throw HTTPProblem(.badRequest, "invalid", "The parameter “sinceVersion” is a whole number from 1 on")
        }
        return try await management.feedbackVersion(number, of: name, app: app).get()
    }

    private func trend(_ call: AdminCall) async throws -> Response {
        guard let key = call.query("key") else {
            throw HTTPProblem(
                .badRequest, "invalid", "The parameter “key” is missing: it names a number of the feedback")
        }
        guard let interval = FeedbackInterval(rawValue: call.query("interval") ?? FeedbackInterval.day.rawValue) else {
            throw HTTPProblem(.badRequest, "invalid", "The parameter “interval” is “hour” or “day”")
        }
        let course = try await management.feedbackTrend(
            of: call.parameter("app"), counting: key, by: interval, since: Self.moment(call)
        ).get()
        return try AdminAnswer.json(
            FeedbackTrend(
                key: key, interval: interval.rawValue, since: course.since,
                steps: course.steps.map { step in
                    FeedbackTrendStep(
                        from: step.from, configuration: step.configuration.flatMap { $0.isEmpty ? nil : $0 },
                        isOfOthers: step.configuration == nil ? true : nil, sum: Self.written(step.sum),
                        devices: step.devices)
                }, isCut: course.isCut))
    }

    private func fetch(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(FeedbackFetchRequest.self)
        let command = try await management.fetchFeedback(
            of: wish.app, from: call.parameter("device"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(CommandSummary(command), status: .created)
    }

    private static func moment(_ call: AdminCall) throws(HTTPProblem) -> Date? {
        guard let text = call.query("since") else { return nil }
        guard let date = Moment(text)?.date else {
            throw HTTPProblem(.badRequest, "invalid", "The parameter “since” is a moment of RFC 3339")
        }
        return date
    }

    /// JSON has no form for what is not finite.
    private static func written(_ sum: Double) -> Double {
        min(max(sum, -Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude)
    }
}

extension AppFeedback {
    fileprivate init(_ record: FeedbackRecord) {
        let status = record.status
        let entries = (try? AppFeedbackStatus.dictionary(status.feedback)) ?? [:]
        self.init(
            number: record.number, device: record.device, app: status.app, life: status.life,
            configuration: status.configuration.isEmpty ? nil : status.configuration,
            configurationName: record.version?.configuration, configurationVersion: record.version?.number,
            from: status.from, to: status.to, received: record.received, refused: status.refused,
            feedback: JSON(.dictionary(entries)))
    }
}
