import Synchronization

/// Tells a device to connect.
///
/// The signal never says why.
package protocol Waker: Sendable {
    /// Wakes one device, if it can be reached.
    func wake(_ deviceKey: String)
    /// Wakes the devices of these groups that can be reached.
    func changed(groups: [String])
}

/// The devices that keep a wake-up stream open to this process.
///
/// Signals coalesce: a device that has not read its last one gets no second. Other ways to wake, such as APNs, plug in
/// as further `Waker`s.
package final class WakeHub: Waker {
    private struct Subscriber {
        let id: UInt64
        let groups: [String]
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct State {
        var next: UInt64 = 0
        var subscribers: [String: Subscriber] = [:]
        var byGroup: [String: Set<String>] = [:]
    }

    private let state = Mutex(State())
    private let others: [any Waker]

    package init(others: [any Waker] = []) {
        self.others = others
    }

    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Opens the stream of a device; an older one of the same device ends.
    package func subscribe(_ deviceKey: String, groups: [String]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, older) = state.withLock { state in
            state.next += 1
            let older = state.subscribers[deviceKey]
            if let older { Self.leave(deviceKey, older.groups, &state) }
            state.subscribers[deviceKey] = Subscriber(id: state.next, groups: groups, continuation: continuation)
            for group in groups { state.byGroup[group, default: []].insert(deviceKey) }
            return (state.next, older)
        }
        continuation.onTermination = { [weak self] _ in self?.end(deviceKey, id) }
        older?.continuation.finish()
        return stream
    }

    /// Whether waking a device may bring it here: one that keeps no stream open asks for what is new when it opens one.
    package func reaches(_ deviceKey: String) -> Bool {
        !others.isEmpty || state.withLock { $0.subscribers[deviceKey] != nil }
    }

    package func wake(_ deviceKey: String) {
        let subscriber = state.withLock { $0.subscribers[deviceKey] }
        subscriber?.continuation.yield()
        for other in others { other.wake(deviceKey) }
    }

    package func changed(groups: [String]) {
        let continuations = state.withLock { state in
            var keys: Set<String> = []
            for group in groups { keys.formUnion(state.byGroup[group] ?? []) }
            return keys.compactMap { state.subscribers[$0]?.continuation }
        }
        for continuation in continuations { continuation.yield() }
        for other in others { other.changed(groups: groups) }
    }

    /// The device is in other groups now.
    func moved(_ deviceKey: String, to groups: [String]) {
        state.withLock { state in
            guard let old = state.subscribers[deviceKey] else { return }
            Self.leave(deviceKey, old.groups, &state)
            state.subscribers[deviceKey] = Subscriber(id: old.id, groups: groups, continuation: old.continuation)
            for group in groups { state.byGroup[group, default: []].insert(deviceKey) }
        }
    }

    /// Ends the stream of a device that may not keep one any longer.
    package func disconnect(_ deviceKey: String) {
        let subscriber = state.withLock { $0.subscribers[deviceKey] }
        subscriber?.continuation.finish()
    }

    /// Ends every stream: the server stops.
    package func disconnectAll() {
        let continuations = state.withLock { $0.subscribers.values.map(\.continuation) }
        for continuation in continuations { continuation.finish() }
    }

    private func end(_ deviceKey: String, _ id: UInt64) {
        state.withLock { state in
            guard let subscriber = state.subscribers[deviceKey], subscriber.id == id else { return }
            Self.leave(deviceKey, subscriber.groups, &state)
            state.subscribers[deviceKey] = nil
        }
    }

    private static func leave(_ deviceKey: String, _ groups: [String], _ state: inout State) {
        for group in groups {
            state.byGroup[group]?.remove(deviceKey)
            if state.byGroup[group]?.isEmpty == true { state.byGroup[group] = nil }
        }
    }
}
