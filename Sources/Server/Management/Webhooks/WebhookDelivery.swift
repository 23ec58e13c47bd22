package import Foundation

/// The record of one event that was sent to a webhook, or will be; it is kept for a while.
package struct WebhookDelivery: Sendable, Equatable {
    /// Why it is sent.
    package enum Kind: String, Sendable, CaseIterable {
        /// An entry or a life of feedback, in order: tried until it succeeds.
        case event
        /// An entry that an administrator has sent again: tried once.
        case redelivery
        case test
    }

    package enum State: String, Sendable, CaseIterable {
        case waiting
        case delivered
        case failed
    }

    /// How many finished deliveries are kept for each webhook.
    package static let mostKept = 1_000
    /// How many ordered deliveries may wait to be sent.
    package static let mostOrdered = 50

    package let number: Int
    package let kind: Kind
    /// The sequence number of the entry; nil for a test or feedback.
    package let sequence: Int?
    /// The number of the feedback; nil for anything else.
    package let feedback: Int?
    package let state: State
    package let attempts: Int
    package let created: Date
    package let attempted: Date?
    package let problem: String?

    package init(
        number: Int, kind: Kind, sequence: Int?, feedback: Int? = nil, state: State, attempts: Int, created: Date,
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

/// What is to be sent next to a webhook, as the store finds it.
package struct WebhookWork: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        /// The next entry of the log that the webhook asks for.
        case entry(AuditEntry)
        /// The next feedback of an app.
        case feedback(FeedbackRecord)
        /// What an administrator ordered; a test has no entry.
        case ordered(WebhookDelivery, AuditEntry?)
    }

    package let webhook: Int
    package let name: String
    package let url: String
    package let failures: Int
    package let event: Event
    /// The secrets that count now, the newest first.
    package let secrets: [KeptSecret]

    package init(
        webhook: Int, name: String, url: String, failures: Int, event: Event, secrets: [KeptSecret]
    ) {
        self.webhook = webhook
        self.name = name
        self.url = url
        self.failures = failures
        self.event = event
        self.secrets = secrets
    }
}

/// What goes over the wire, once.
package struct WebhookRequest: Sendable {
    package let work: WebhookWork
    package let address: WebhookAddress
    package let headers: [(name: String, value: String)]
    package let body: Data

    package init(
        work: WebhookWork, address: WebhookAddress, headers: [(name: String, value: String)], body: Data
    ) {
        self.work = work
        self.address = address
        self.headers = headers
        self.body = body
    }
}

/// Which webhooks something can be sent to now, and when the next can if nothing happens until then.
package struct DueWebhooks: Sendable, Equatable {
    package let numbers: [Int]
    package let next: Date?
    /// All that there are: connections of others are of no use any more.
    package let present: [Int]

    package init(numbers: [Int], next: Date?, present: [Int]) {
        self.numbers = numbers
        self.next = next
        self.present = present
    }
}
