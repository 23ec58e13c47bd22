/// The rules of one device's command queue: one outstanding command, kept until its result is there.
///
/// A command answered by NotNow is kept, others are offered, and it is offered once more at the end: a device polls
/// again by itself only if NotNow was the last thing it said.
package struct CommandQueue: Sendable {
    /// An unfinished command, oldest first.
    package struct Entry: Sendable, Equatable {
        package let id: Int64
        package var sent: Bool
        package var deferred: Bool

        package init(id: Int64, sent: Bool, deferred: Bool) {
            self.id = id
            self.sent = sent
            self.deferred = deferred
        }
    }

    /// What the device's message was, as far as the choice of the next command depends on it.
    package enum Report: Sendable, Equatable {
        case idle
        case notNow
        case finished
    }

    /// Which command to send, given what is unfinished after the report was recorded.
    ///
    /// An Idle begins a new connection: what was deferred is offered again from the head.
    package static func next(after report: Report, open: [Entry]) -> Entry? {
        switch report {
        case .idle:
            // The outstanding command stays the head, even when an earlier one was deferred.
            open.first { $0.sent && !$0.deferred } ?? open.first
        case .notNow:
            open.first { $0.sent && !$0.deferred } ?? open.first { !$0.deferred }
        case .finished:
            open.first { $0.sent && !$0.deferred } ?? open.first { !$0.deferred } ?? open.first
        }
    }
}
