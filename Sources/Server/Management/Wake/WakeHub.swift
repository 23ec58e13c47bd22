import Synchronization

/// Tells a device to connect.
///
/// The signal never says why.
package protocol Waker: Sendable {
    /// Wakes one device, if it can be reached.
    func wake(_ deviceKey: String)
    /// Wakes the devices of these groups that can be reached.
    func changed(groups: [String])
    /// Whether it may reach any device at present.
    var isActive: Bool { get }
}

/// How fast devices are woken when a change concerns many: all at once they would keep each other and everybody else
/// waiting.
package struct WakePace: Sendable {
    /// How many hear of a change in the moment it is made.
    package var atOnce = 200
    /// How many of the rest in a second.
    package var perSecond = 250
    /// Whatever their number, the last one hears of it within this.
    package var longest = Duration.seconds(60)

    static let beat = Duration.milliseconds(100)

    package init() {}

    /// How many are woken at each beat when so many wait.
    package func perBeat(waiting: Int) -> Int {
        let beats = max(1, Int(longest / Self.beat))
        return max(1, perSecond * Int(Self.beat / .milliseconds(1)) / 1_000, (waiting + beats - 1) / beats)
    }
}

/// The devices that keep a wake-up stream open to this process.
///
/// Signals coalesce: a device that has not read its last one gets no second. Other ways to wake, such as Apple's push
/// service, are further `Waker`s.
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
        /// The devices that wait for their turn, and how many are woken at each beat.
        var waiting: Set<String> = []
        var perBeat = 0
        var isBeating = false
    }

    /// How many are woken together of those that are judged one by one.
    private static let judgedTogether = 50

    private let state = Mutex(State())
    private let others: [any Waker]
    private let pace: WakePace
    private let rest: @Sendable (Duration) async -> Void

    /// `rest` waits; tests wait otherwise.
    package init(
        others: [any Waker] = [], pace: WakePace = WakePace(),
        rest: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.others = others
        self.pace = pace
        self.rest = rest
    }

    /// The streams of a process are always there to be opened.
    package var isActive: Bool { true }

    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// How many have their turn later.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

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
        others.contains(where: \.isActive) || state.withLock { $0.subscribers[deviceKey] != nil }
    }

    package func wake(_ deviceKey: String) {
        let subscriber = state.withLock { $0.subscribers[deviceKey] }
        subscriber?.continuation.yield()
        for other in others { other.wake(deviceKey) }
    }

    package func changed(groups: [String]) {
        wake(state.withLock { Self.reached(groups, $0) }, atOnce: pace.atOnce)
        for other in others { other.changed(groups: groups) }
    }

    /// Wakes those devices of these groups for which `concerns` is true, some at a time, and returns before it has.
    ///
    /// Other ways to wake get the groups, and find the devices that have something to fetch by themselves.
    package func changed(groups: [String], where concerns: @escaping @Sendable (String) async -> Bool) {
        let keys = state.withLock { Self.reached(groups, $0) }
        if !keys.isEmpty {
            Task { [weak self, pace] in
                var (left, found) = (pace.atOnce, Set<String>())
                for (number, key) in keys.enumerated() {
                    if await concerns(key) { found.insert(key) }
                    guard found.count == Self.judgedTogether || number == keys.count - 1 else { continue }
                    self?.wake(found, atOnce: left)
                    left = max(0, left - found.count)
                    found = []
                }
            }
        }
        for other in others { other.changed(groups: groups) }
    }

    /// The devices of these groups, without those that wait for their turn: these hear of all changes then.
    private static func reached(_ groups: [String], _ state: State) -> Set<String> {
        var keys: Set<String> = []
        for group in groups { keys.formUnion(state.byGroup[group] ?? []) }
        return keys.subtracting(state.waiting)
    }

    /// Wakes so many of them now, and the others when it is their turn.
    private func wake(_ keys: Set<String>, atOnce: Int) {
        let (now, begins) = state.withLock { state in
            let sleeping = keys.subtracting(state.waiting)
            let now = sleeping.prefix(atOnce)
            state.waiting.formUnion(sleeping.dropFirst(atOnce))
            state.perBeat = max(state.perBeat, pace.perBeat(waiting: state.waiting.count))
            let begins = !state.waiting.isEmpty && !state.isBeating
            if begins { state.isBeating = true }
            return (now.compactMap { state.subscribers[$0]?.continuation }, begins)
        }
        for continuation in now { continuation.yield() }
        if begins { beat() }
    }

    /// Wakes those who wait, some at each beat, until nobody does.
    private func beat() {
        Task { [weak self, rest] in
            repeat { await rest(WakePace.beat) } while self?.wakeSome() == true
        }
    }

    /// Answers whether somebody still waits.
    private func wakeSome() -> Bool {
        let (turn, goesOn) = state.withLock { state in
            let keys = Array(state.waiting.prefix(state.perBeat))
            state.waiting.subtract(keys)
            state.isBeating = !state.waiting.isEmpty
            if !state.isBeating { state.perBeat = 0 }
            return (keys.compactMap { state.subscribers[$0]?.continuation }, state.isBeating)
        }
        for continuation in turn { continuation.yield() }
        return goesOn
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
