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
}

/// Gathers reasons until somebody answers.
package final class Doorbell: Sendable {
    private let waiting = Mutex(Reasons())
    private let owed = Mutex(Reasons())
    private let rings: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation

    package init() { (rings, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Adds a reason.
    package func ring(_ reasons: Reasons) {
        waiting.withLock { $0.formUnion(reasons) }
        ringing.yield()
    }

    /// Remembers reasons that wait for a better moment.
    package func owe(_ reasons: Reasons) { owed.withLock { $0.formUnion(reasons) } }

    /// Rings with the reasons that waited, if any.
    package func ringOwed() {
        let reasons = owed.withLock { owed in
            defer { owed = [] }
            return owed
        }
        if !reasons.isEmpty { ring(reasons) }
    }

    /// Takes the reasons gathered so far.
    package func take() -> Reasons {
        waiting.withLock { reasons in
            defer { reasons = [] }
            return reasons
        }
    }

    /// One element whenever there may be a reason; for one listener.
    package var heard: AsyncStream<Void> { rings }
}
