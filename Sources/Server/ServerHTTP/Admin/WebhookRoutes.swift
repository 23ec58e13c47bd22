import AdminMessages
import Foundation
import Hummingbird
import Management

/// The routes of webhooks, by which other systems get entries of the audit log and feedback.
struct WebhookRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/webhooks", operation: "listWebhooks", summary: "The webhooks, by name.",
                query: QueryParameter.paging, answer: .json(.page(of: "Webhook")), service: .session(list)),
            AdminRoute(
                method: .post, path: "/webhooks", operation: "addWebhook",
                summary: """
                    Add a webhook: it gets events from now on. Its secret is shown only once. An event is an action of \
                    the audit log, all of a kind, such as `alert.*` for problems of apps and devices, `*` or \
                    `app.feedback`.
                    """,
                body: .json(.named("WebhookRequest")), status: .created, answer: .json(.named("WebhookAnswer")),
                service: .session(add)),
            AdminRoute(
                method: .get, path: "/webhooks/{webhook}", operation: "showWebhook",
                summary: "One webhook: its state, what waits, and the result of the last attempt.",
                answer: .json(.named("Webhook")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/webhooks/{webhook}", operation: "setWebhook",
                summary: """
                    Change the address and the events of a webhook, or enable or disable it. An event that is added is sent \
                    from then on. An address that stays is judged when a disabled webhook is enabled, and when an enabled one is \
                    to be enabled and nothing else changes. One whose secret was forgotten is enabled by a new secret alone.
                    """,
                body: .json(.named("WebhookChange")), answer: .json(.named("Webhook")), service: .session(set)),
            AdminRoute(
                method: .delete, path: "/webhooks/{webhook}", operation: "removeWebhook",
                summary: "Remove a webhook with its secrets and its history.", status: .noContent,
                service: .session(remove)),
            AdminRoute(
                method: .post, path: "/webhooks/{webhook}/secret", operation: "rotateWebhookSecret",
                summary: """
                    Give a webhook a new secret, which is shown only once; for a while both count. One that was disabled because \
                    its secret was forgotten is enabled.
                    """,
                body: .json(.named("WebhookRotationRequest")), status: .created,
                answer: .json(.named("WebhookAnswer")), service: .session(rotate)),
            AdminRoute(
                method: .get, path: "/webhooks/{webhook}/deliveries", operation: "listWebhookDeliveries",
                summary: "What was sent to a webhook, newest first.", query: QueryParameter.paging,
                answer: .json(.page(of: "WebhookDelivery")), service: .session(deliveries)),
            AdminRoute(
                method: .post, path: "/webhooks/{webhook}/deliveries", operation: "redeliverToWebhook",
                summary: "Send an entry of the audit log to a webhook once more, under the same identifier.",
                body: .json(.named("RedeliveryRequest")), status: .accepted,
                answer: .json(.named("WebhookDelivery")), service: .session(redeliver)),
            AdminRoute(
                method: .post, path: "/webhooks/{webhook}/test", operation: "testWebhook",
                summary: "Send a test event to a webhook.", status: .accepted,
                answer: .json(.named("WebhookDelivery")), service: .session(test)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let page = try call.page()
        let behind = try await management.webhooks().filter { $0.name > page.after ?? "" }
        return try AdminAnswer.page(
            PageRecord(cutting: behind, to: page.limit, cursor: \.name), shown)
    }

    private func add(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AdminMessages.WebhookRequest.self)
        try requireRights(to: wish.events, call)
        let made = try await management.addWebhook(
            named: wish.name, url: wish.url, events: wish.events, author: call.session.administrator
        ).get()
        return try answer(made)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let webhook = try await management.webhook(named: call.parameter("webhook")) else {
            throw HTTPProblem(.unknownWebhook)
        }
        return try AdminAnswer.json(shown(webhook))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(WebhookChange.self)
        try requireRights(to: wish.events, call)
        let webhook = try await management.setWebhook(
            named: call.parameter("webhook"), url: wish.url, events: wish.events, isEnabled: wish.enabled,
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(shown(webhook))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeWebhook(
            named: call.parameter("webhook"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func rotate(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(WebhookRotationRequest.self)
        let made = try await management.rotateWebhookSecret(
            of: call.parameter("webhook"), overlap: wish.overlapSeconds.map(TimeInterval.init),
            author: call.session.administrator
        ).get()
        return try answer(made)
    }

    private func deliveries(_ call: AdminCall) async throws -> Response {
        let page = try await management.webhookDeliveries(of: call.parameter("webhook"), call.page()).get()
        return try AdminAnswer.page(page, AdminMessages.WebhookDelivery.init)
    }

    private func redeliver(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(RedeliveryRequest.self)
        return try await order(wish.sequence, call)
    }

    private func test(_ call: AdminCall) async throws -> Response { try await order(nil, call) }

    private func order(_ sequence: Int?, _ call: AdminCall) async throws -> Response {
        let delivery = try await management.orderWebhookDelivery(
            of: call.parameter("webhook"), entry: sequence, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.WebhookDelivery(delivery), status: .accepted)
    }

    private func requireRights(to events: [String], _ call: AdminCall) throws(HTTPProblem) {
        for permission in WebhookEvents.needed(toSend: events) { try call.require(permission) }
    }

    private func answer(_ made: IssuedWebhook) throws -> Response {
        try AdminAnswer.json(
            AdminMessages.WebhookAnswer(secret: made.secret, webhook: shown(made.webhook)), status: .created)
    }

    private func shown(_ webhook: WebhookRecord) -> AdminMessages.Webhook {
        AdminMessages.Webhook(webhook, problem: management.problem(of: webhook))
    }
}

extension AdminMessages.Webhook {
    fileprivate init(_ record: WebhookRecord, problem: String?) {
        let course = record.course
        self.init(
            name: record.name, url: record.settings.url, events: record.settings.events.patterns,
            state: record.standing.rawValue, reason: course.disabled?.reason.rawValue,
            disabled: course.disabled?.since, author: record.author, created: record.created, cursor: record.cursor,
            waiting: BoundedCount(count: record.waiting, isMore: record.isMoreWaiting),
            failures: course.failures, failingSince: course.failingSince,
            nextAttempt: course.disabled == nil ? course.next : nil, lastDelivered: course.lastDelivered,
            problem: problem, secretMade: record.secretMade, previousSecretEnds: record.previousSecretEnds,
            feedback: record.feedback.map { WebhookFeedback(cursor: $0.cursor, skipped: $0.skipped) })
    }
}

extension AdminMessages.WebhookDelivery {
    fileprivate init(_ record: WebhookDeliveryRecord) {
        self.init(
            number: record.number, kind: record.kind.rawValue, sequence: record.sequence, feedback: record.feedback,
            state: record.state.rawValue, attempts: record.attempts, created: record.created,
            attempted: record.attempted, problem: record.problem)
    }
}
