package import Foundation

/// An address to which the server sends events. `GET /webhooks/{webhook}`
package struct Webhook: Codable, Hashable, Sendable {
    /// The event for apps' feedback, with its values; no pattern includes it.
    package static let feedbackEvent = "app.feedback"
    /// The reason for which a webhook is disabled until it is given a new secret.
    package static let secretForgotten = "secret-forgotten"

    package var name: String
    package var url: String
    /// Actions of the audit log, all of a kind (`secret.*`), all (`*`), or `app.feedback`.
    package var events: [String]
    /// `active`, `failing` or `disabled`.
    package var state: String
    /// Why it is disabled: `by-administrator`, `gone`, `failed-for-days` or `secret-forgotten`.
    package var reason: String?
    package var disabled: Date?
    package var author: String
    package var created: Date
    /// The entry of the log up to which everything was delivered that was asked for.
    package var cursor: Int
    /// Entries and feedback that wait to be delivered.
    package var waiting: BoundedCount
    /// Attempts that failed since one last succeeded.
    package var failures: Int
    package var failingSince: Date?
    package var nextAttempt: Date?
    /// When its receiver last took an event; tests and what was sent again count, too.
    package var lastDelivered: Date?
    /// What the last attempt came to, unless it succeeded, or that its address is no longer allowed.
    package var problem: String?
    package var secretMade: Date
    /// Until when events are signed with the secret before, too.
    package var previousSecretEnds: Date?
    /// Its progress in apps' feedback; nil if it does not receive feedback.
    package var feedback: WebhookFeedback?

    package init(
        name: String, url: String, events: [String], state: String, reason: String?, disabled: Date?, author: String,
        created: Date, cursor: Int, waiting: BoundedCount, failures: Int, failingSince: Date?, nextAttempt: Date?,
        lastDelivered: Date?, problem: String?, secretMade: Date, previousSecretEnds: Date?,
        feedback: WebhookFeedback? = nil
    ) {
        self.name = name
        self.url = url
        self.events = events
        self.state = state
        self.reason = reason
        self.disabled = disabled
        self.author = author
        self.created = created
        self.cursor = cursor
        self.waiting = waiting
        self.failures = failures
        self.failingSince = failingSince
        self.nextAttempt = nextAttempt
        self.lastDelivered = lastDelivered
        self.problem = problem
        self.secretMade = secretMade
        self.previousSecretEnds = previousSecretEnds
        self.feedback = feedback
    }
}

/// A webhook's progress in apps' feedback.
package struct WebhookFeedback: Codable, Hashable, Sendable {
    /// The webhook has all feedback up to this number, apart from feedback from before it asked for the event.
    package var cursor: Int
    /// The number of feedback entries that the server deleted before it delivered them.
    package var skipped: Int

    package init(cursor: Int, skipped: Int) {
        self.cursor = cursor
        self.skipped = skipped
    }
}

/// Adds a webhook. `POST /webhooks`
package struct WebhookRequest: Codable, Hashable, Sendable {
    package var name: String
    package var url: String
    package var events: [String]

    package init(name: String, url: String, events: [String]) {
        self.name = name
        self.url = url
        self.events = events
    }
}

/// Changes a webhook. `PUT /webhooks/{webhook}`
package struct WebhookChange: Codable, Hashable, Sendable {
    package var url: String
    package var events: [String]
    package var enabled: Bool

    package init(url: String, events: [String], enabled: Bool) {
        self.url = url
        self.events = events
        self.enabled = enabled
    }
}

/// A webhook with the secret that its receiver checks signatures by: shown only once.
package struct WebhookAnswer: Codable, Hashable, Sendable {
    package var secret: String
    package var webhook: Webhook

    package init(secret: String, webhook: Webhook) {
        self.secret = secret
        self.webhook = webhook
    }
}

/// Gives a webhook a new secret. `POST /webhooks/{webhook}/secret`
package struct WebhookRotationRequest: Codable, Hashable, Sendable {
    /// For how long events are signed with the one before, too; a day without it.
    package var overlapSeconds: Int?

    package init(overlapSeconds: Int? = nil) { self.overlapSeconds = overlapSeconds }
}

/// Has an entry of the audit log sent once more. `POST /webhooks/{webhook}/deliveries`
package struct RedeliveryRequest: Codable, Hashable, Sendable {
    package var sequence: Int

    package init(sequence: Int) { self.sequence = sequence }
}

/// What was sent to a webhook, or is to be. `GET /webhooks/{webhook}/deliveries`
package struct WebhookDelivery: Codable, Hashable, Sendable {
    package var number: Int
    /// `event`, `redelivery` or `test`.
    package var kind: String
    /// The number of the audit log's entry; nil for tests and for feedback.
    package var sequence: Int?
    /// The number of the feedback; nil for everything else.
    package var feedback: Int?
    /// `waiting`, `delivered` or `failed`.
    package var state: String
    package var attempts: Int
    package var created: Date
    package var attempted: Date?
    /// What the last attempt came to, unless it succeeded.
    package var problem: String?

    package init(
        number: Int, kind: String, sequence: Int?, feedback: Int? = nil, state: String, attempts: Int, created: Date,
        attempted: Date?, problem: String?
    ) {
        self.number = number
        self.kind = kind
        self.sequence = sequence
        self.feedback = feedback
        self.state = state
        self.attempts = attempts
        self.created = created
        self.attempted = attempted
        self.problem = problem
    }
}

/// How many webhooks fare how.
package struct WebhookCounts: Codable, Hashable, Sendable {
    package var active: Int
    package var failing: Int
    package var disabled: Int

    package init(active: Int, failing: Int, disabled: Int) {
        self.active = active
        self.failing = failing
        self.disabled = disabled
    }
}
