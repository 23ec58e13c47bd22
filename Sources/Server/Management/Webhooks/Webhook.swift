package import Foundation

/// An address that is told of what is done: entries of the audit log, each once it is on the disk, in their order.
///
/// The log itself is what waits to be sent: a webhook is a place in it, which moves on as its entries are delivered.
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
    package let course: WebhookCourse
    /// Entries that wait to be delivered, up to one more than are counted.
    package let waiting: Int
    /// Whether more wait than were counted, or may.
    package let isMoreWaiting: Bool
    package let secretMade: Date
    /// Until when the secret before counts as well.
    package let previousSecretEnds: Date?

    package init(
        number: Int, name: String, settings: WebhookSettings, author: String, created: Date, cursor: Int,
        course: WebhookCourse, waiting: Int, isMoreWaiting: Bool, secretMade: Date,
        previousSecretEnds: Date?
    ) {
        self.number = number
        self.name = name
        self.settings = settings
        self.author = author
        self.created = created
        self.cursor = cursor
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

/// A webhook together with the text of its newest secret, which is told only now.
package struct IssuedWebhook: Sendable {
    package let webhook: Webhook
    package let secret: String
}
