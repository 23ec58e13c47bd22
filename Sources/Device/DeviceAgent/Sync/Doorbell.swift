import Synchronization

/// Why the device is to talk to its server; reasons that come together are answered together.
package struct Reasons: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The server may have commands for us.
    package static let commands = Reasons(rawValue: 1)
    /// The set of declarations may have moved without a command.
    package static let look = Reasons(rawValue: 2)
    /// A sync that failed is to be tried again.
    package static let retry = Reasons(rawValue: 4)
    /// Something changed that the server wants to know.
    package static let status = Reasons(rawValue: 8)
    /// The server itself was heard, so that it is worth trying before a wait is over.
    package static let called = Reasons(rawValue: 16)
    /// A certificate is to be replaced.
    package static let renew = Reasons(rawValue: 32)
}

/// Gathers reasons until somebody answers.
package final class Doorbell: Sendable {
    private let waiting = Mutex(Reasons())
    private let owed = Mutex(Reasons())
    private let ringing = Mutex<AsyncStream<Void>.Continuation?>(nil)

    package init() {}

    /// Adds a reason.
    package func ring(_ reasons: Reasons) {
        waiting.withLock { $0.formUnion(reasons) }
        _ = ringing.withLock { $0?.yield() }
    }

    /// Remembers reasons that wait for a better moment.
    package func owe(_ reasons: Reasons) { owed.withLock { $0.formUnion(reasons) } }

    /// Rings with the reasons that waited, if any, and with `more` then.
    package func ringOwed(and more: Reasons = []) {
        let reasons = owed.withLock { owed in
            defer { owed = [] }
            return owed
        }
        if !reasons.isEmpty { ring(reasons.union(more)) }
    }

    /// Takes the reasons gathered so far.
    package func take() -> Reasons {
        waiting.withLock { reasons in
            defer { reasons = [] }
            return reasons
        }
    }

    /// Begins to listen, in place of an earlier listener; the stream has an element whenever there may be work.
    package func listen() -> AsyncStream<Void> {
        let (rings, ringing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.ringing.withLock { $0 = ringing }
        if waiting.withLock({ !$0.isEmpty }) { ringing.yield() }
        return rings
    }
}
