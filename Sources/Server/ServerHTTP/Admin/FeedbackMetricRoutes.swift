import AdminMessages
import Hummingbird
import Management

/// The routes that show and set the numbers of apps' feedback that the server measures.
struct FeedbackMetricRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/feedback/metrics", operation: "listFeedbackMetrics",
                summary: "The numbers of all apps' feedback that are measured, by app and key.",
                query: QueryParameter.paging, answer: .json(.page(of: "FeedbackMetric")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/apps/{app}/feedback/metrics", operation: "showFeedbackMetrics",
                summary: "The keys of the app's feedback whose numbers are measured.",
                answer: .json(.named("FeedbackMetrics")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/apps/{app}/feedback/metrics", operation: "setFeedbackMetrics",
                summary: """
                    Have the numbers of these keys measured, of all devices together, and no others of the app: what is handed \
                    over from now on.
                    """,
                body: .json(.named("FeedbackMetrics")), answer: .json(.named("FeedbackMetrics")),
                service: .session(set)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.feedbackMetrics(call.page())) { metric in
            AdminMessages.FeedbackMetric(app: metric.app, key: metric.key)
        }
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let keys = try await management.measuredFeedback(of: call.parameter("app")).get()
        return try AdminAnswer.json(FeedbackMetrics(keys: keys))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(FeedbackMetrics.self)
        let keys = try await management.measureFeedback(
            wish.keys, of: call.parameter("app"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(FeedbackMetrics(keys: keys))
    }
}
