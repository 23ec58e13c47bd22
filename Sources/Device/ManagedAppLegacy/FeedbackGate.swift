/// Decides when the app's feedback can be taken away so that no update of the app is lost or counted twice.
///
/// An app updates its feedback by a read and a write. A read by a thread opens an update, and the next write of that thread
/// closes it. Feedback is taken only while no update is open. An app that only reads must not hold it up for long, so the
/// gate waits less and less: for every open update at first, then only for the young ones of threads that also write, and
/// finally for none. Nobody of the app ever waits.
package struct FeedbackGate: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long every open update is waited for, and how old its read may be.
    package static let patience = Duration.milliseconds(250)
    /// After that, how old the read of an update may be, of threads that have written before.
    package static let youth = Duration.milliseconds(5)
    /// After this no update is waited for.
    package static let longest = Duration.seconds(1)

    // Threads end without notice; above this number those that have read long ago are forgotten.
    private static let mostThreads = 64

    private struct Access {
        var read: Instant
        var isOpen: Bool
        var hasWritten: Bool
    }

    private var accesses: [UInt: Access] = [:]

    /// Updates that say themselves when they end: they are waited for however long they take.
    private var held = 0

    /// Since when feedback is to be taken; nil when it is not.
    package private(set) var asked: Instant?

    /// A gate that nobody has passed.
    package init() {}

    /// Whether an update is open that says itself when it ends.
    package var isHeld: Bool { held > 0 }

    /// A thread reads the feedback.
    package mutating func read(by thread: UInt, at now: Instant) {
        if accesses.count >= Self.mostThreads {
            accesses = accesses.filter { now - $0.value.read < Self.longest }
        }
        let hasWritten = accesses[thread]?.hasWritten ?? false
        accesses[thread] = Access(read: now, isOpen: true, hasWritten: hasWritten)
    }

    /// A thread writes the feedback, or gives up an update.
    package mutating func write(by thread: UInt, at now: Instant) {
        accesses[thread] = Access(read: now, isOpen: false, hasWritten: true)
    }

    /// An update begins that says itself when it ends.
    package mutating func hold() { held += 1 }

    /// Such an update ends.
    package mutating func release() { held -= 1 }

    /// Feedback is to be taken, as soon as that is possible.
    package mutating func ask(at now: Instant) {
        asked = asked ?? now
    }

    /// It was taken, or is not to be taken any more.
    package mutating func close() { asked = nil }

    /// Whether it can be taken now.
    package func isFree(at now: Instant) -> Bool {
        guard held == 0 else { return false }
        let waited = asked.map { now - $0 } ?? .zero
        guard waited < Self.longest else { return true }
        let isYoung = waited < Self.patience
        return !accesses.values.contains { access in
            guard access.isOpen else { return false }
            let age = now - access.read
            return isYoung ? age < Self.patience : access.hasWritten && age < Self.youth
        }
    }
}
