package import Foundation

/// An address to which the server sends entries of the audit log, each once it is on the disk, in their order.
///
/// There is no outbox: a webhook is a place in the log, which moves on as entries are delivered. A webhook that asks
/// for the feedback of apps has a second place, in the feedback that the server keeps.
package struct Webhook: Sendable, Equatable {
    /// How many a server has at most; each is served by itself.
    package static let most = 20
    /// Entries that wait are counted up to here.
    package static let mostCounted = 1_000

    /// Never that of another one, whatever its name.
    package let number: Int
    package let name: String
    package let settings: WebhookSettings
    package let author: String
    package let created: Date
    /// Entries up to here were delivered, or were not asked for.
    package let cursor: Int
    /// Its place in the feedback of apps; nil if it does not ask for feedback.
    package let feedback: WebhookFeedbackPlace?
    package let course: WebhookCourse
    /// How many entries and lives of feedback wait to be delivered, at most one more than `mostCounted`.
    package let waiting: Int
    /// Whether more wait than were counted, or may.
    package let isMoreWaiting: Bool
    package let secretMade: Date
    /// Until when the secret before counts as well.
    package let previousSecretEnds: Date?

    package init(
        number: Int, name: String, settings: WebhookSettings, author: String, created: Date, cursor: Int,
        feedback: WebhookFeedbackPlace?, course: WebhookCourse, waiting: Int, isMoreWaiting: Bool, secretMade: Date,
        previousSecretEnds: Date?
    ) {
        self.number = number
        self.name = name
        self.settings = settings
        self.author = author
        self.created = created
        self.cursor = cursor
        self.feedback = feedback
        self.course = course
        self.waiting = waiting
        self.isMoreWaiting = isMoreWaiting
        self.secretMade = secretMade
        self.previousSecretEnds = previousSecretEnds
    }

    /// How it fares, in a word.
    package enum Standing: String, Sendable, CaseIterable {
        case active
        /// The last attempt failed; it is tried again.
        case failing
        /// Nothing is sent until an administrator enables it.
        case disabled
    }

    package var standing: Standing {
        if course.disabled != nil { return .disabled }
        return course.failures > 0 ? .failing : .active
    }
}

/// The place of a webhook in the feedback of apps.
package struct WebhookFeedbackPlace: Sendable, Equatable {
    /// Feedback up to this number was delivered, or came before the webhook asked for feedback.
    package let cursor: Int
    /// How many lives were deleted before they were delivered, since the webhook asks for feedback.
    package let skipped: Int

    package init(cursor: Int, skipped: Int) {
        self.cursor = cursor
        self.skipped = skipped
    }
}

/// What an administrator says of a webhook.
package struct WebhookSettings: Sendable, Equatable {
    package let url: String
    package let events: WebhookEvents

    package init(url: String, events: WebhookEvents) {
        self.url = url
        self.events = events
    }
}

/// A new webhook, or a new secret of one; the secret is sealed once both numbers are known.
package struct WebhookDraft: Sendable {
    package let name: String
    package let author: String
    package let now: Date
    package let seal: @Sendable (_ webhook: Int, _ secret: Int) throws -> SealedSecret

    package init(
        name: String, author: String, now: Date,
        seal: @escaping @Sendable (_ webhook: Int, _ secret: Int) throws -> SealedSecret
    ) {
        self.name = name
        self.author = author
        self.now = now
        self.seal = seal
    }

    /// Under which name the secrets of a webhook are sealed: no administrator's secret is called so.
    package static func sealName(_ webhook: Int) -> String { "webhook:\(webhook)" }

    /// The webhook of such a name.
    package static func webhook(sealedAs name: String) -> Int? {
        name.hasPrefix("webhook:") ? Int(name.dropFirst("webhook:".count)) : nil
    }
}

/// A webhook with the text of its newest secret, which is shown only now.
package struct IssuedWebhook: Sendable {
    package let webhook: Webhook
    package let secret: String
}
