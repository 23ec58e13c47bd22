import Synchronization

/// A bounded cache of values in the store, which keeps no value older than the last change that it knows of.
///
/// A reader takes a ticket before it reads the store, and its value is kept only if nothing was forgotten since.
/// What was not asked for during two rounds is dropped.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
        var generation: UInt64 = 0
    }

    private final class Stripe: Sendable {
        let contents = Mutex(Contents())
    }

    /// The state of the cache before the store was read.
    package struct Ticket: Sendable {
        fileprivate let generation: UInt64
    }

    private let stripes: [Stripe]
    private let roundSize: Int

    /// Keeps at most `capacity` values.
    ///
    /// Stripes keep readers apart, and changes of one key from spoiling all others.
    package init(capacity: Int, stripes count: Int = 64) {
        stripes = (0..<count).map { _ in Stripe() }
        roundSize = max(1, capacity / count / 2)
    }

    package func value(_ key: Key) -> Value? {
        stripe(key).contents.withLock { contents in
            if let value = contents.young[key] { return value }
            guard let value = contents.old.removeValue(forKey: key) else { return nil }
            insert(value, key, &contents)
            return value
        }
    }

    package func ticket(_ key: Key) -> Ticket {
        Ticket(generation: stripe(key).contents.withLock { $0.generation })
    }

    package func keep(_ value: Value, _ key: Key, _ ticket: Ticket) {
        stripe(key).contents.withLock { contents in
            guard contents.generation == ticket.generation else { return }
            insert(value, key, &contents)
        }
    }

    package func forget(_ key: Key) {
        stripe(key).contents.withLock { contents in
            contents.generation += 1
            contents.young[key] = nil
            contents.old[key] = nil
        }
    }

    package func forgetAll() {
        for stripe in stripes {
            stripe.contents.withLock { $0 = Contents(generation: $0.generation + 1) }
        }
    }

    private func insert(_ value: Value, _ key: Key, _ contents: inout Contents) {
        contents.young[key] = value
        guard contents.young.count >= roundSize else { return }
        contents.old = contents.young
        contents.young = [:]
    }

    private func stripe(_ key: Key) -> Stripe {
        stripes[Int(UInt(bitPattern: key.hashValue) % UInt(stripes.count))]
    }
}
