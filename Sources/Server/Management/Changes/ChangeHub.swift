import Foundation
import Synchronization

/// Publishes changes to listeners, once the changes are on disk.
///
/// A request that makes a change only leaves a note here and goes on; `Management.followChanges` publishes the change.
/// All listeners read the same window, each from a place of its own. A slow listener costs nothing and delays no other;
/// if the window has moved past its place, it gets a reset. Without listeners, the acts of devices are not published,
/// except for changes whose journey is followed: the next listener gets a gap.
package final class ChangeHub: Sendable {
    /// How many may listen at once, and how many of them for one administrator, whichever of their tokens they show.
    package struct Bounds: Sendable {
        package var listeners = 256
        package var ofOne = 32
        /// The most acts of devices that wait to be published; more is a gap.
        package var waiting = 8_192
        package var window = ChangeWindow.size
        /// How long changes are still published after the last listener left or asked for its place: it may come back
        /// for what it missed, and some listeners poll.
        package var linger = Duration.seconds(600)

        package init() {}
    }

    private struct State {
        var window: ChangeWindow
        var listeners: [UInt64: Listener] = [:]
        var next: UInt64 = 0
        var waiting: [(change: Change, place: Int)] = []
        var isGap = false
        /// When the last listener left or was named a place, if there ever was one.
        var left: ContinuousClock.Instant?
        /// Whether something was not told, because nobody listened.
        var hasSkipped = false
        var journeys = Journeys()
        /// How often devices came to groups or left them, and how often they had when those of the journeys were last counted.
        var departures = 0
        var counted = 0
        /// How often the log grew, as far as was noticed, and how much of that was published.
        var grown = 0
        var told = 0
        var hasBegun = false
        var hasEnded = false
        var expectant: [(grown: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private struct Listener {
        let name: String
        let signal: AsyncStream<Void>.Continuation
    }

    /// A call for each time that there is something to tell; several at once are one.
    let calls: AsyncStream<Void>
    private let call: AsyncStream<Void>.Continuation
    private let state: Mutex<State>
    private let bounds: Bounds
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(
        run: String, bounds: Bounds = Bounds(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.now = now
        (calls, call) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.bounds = bounds
        state = Mutex(State(window: ChangeWindow(run: run, size: bounds.window)))
    }

    package var listenerCount: Int { state.withLock { $0.listeners.count } }

    // MARK: Leaving word

    /// The audit log grew.
    func logGrew() {
        state.withLock { $0.grown += 1 }
        call.yield()
    }

    /// Leaves word of what a device or a job did, if anybody hears of it.
    func note(_ change: Change) {
        let isKept = state.withLock { state in
            guard isHeard(state) || state.journeys.follows(change) else {
                state.hasSkipped = true
                return false
            }
            if state.waiting.count >= bounds.waiting {
                state.waiting = []
                state.isGap = true
            }
            state.waiting.append((change, state.window.last))
            return true
        }
        if isKept { call.yield() }
    }

    private func isHeard(_ state: State) -> Bool {
        // A change that is on record and not told yet may be one to follow.
        if !state.listeners.isEmpty || state.grown > state.told { return true }
        return state.left.map { now() < $0 + bounds.linger } ?? false
    }

    /// What was left.
    struct Left {
        /// Each with the place of what had been told by then.
        let changes: [(change: Change, place: Int)]
        /// Something before it was lost.
        let isGap: Bool
        /// How often the log had grown.
        let grown: Int
    }

    /// Takes what was left.
    func take() -> Left {
        state.withLock { state in
            defer {
                state.waiting = []
                state.isGap = false
            }
            return Left(changes: state.waiting, isGap: state.isGap, grown: state.grown)
        }
    }

    // MARK: Beginning and keeping up

    /// From here on all changes are published.
    func begin() { release { $0.hasBegun = true } }

    /// Nothing more is published.
    func end() { release { $0.hasEnded = true } }

    /// The log's entries after so many growths are published, or cannot be published now.
    func keepUp(with grown: Int) { release { $0.told = max($0.told, grown) } }

    /// Waits until changes are published, which is a moment after the start.
    package func begun() async { await wait { _ in 0 } }

    /// Waits until the present entries of the log are published.
    package func caughtUp() async { await wait(\.grown) }

    private func wait(_ target: (State) -> Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let grown = target(state)
                let isThere = state.hasEnded || (state.hasBegun && state.told >= grown)
                if !isThere { state.expectant.append((grown, continuation)) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }

    private func release(_ change: (inout State) -> Void) {
        let released = state.withLock { state in
            change(&state)
            guard state.hasBegun || state.hasEnded else { return [CheckedContinuation<Void, Never>]() }
            let told = state.hasEnded ? Int.max : state.told
            defer { state.expectant.removeAll { $0.grown <= told } }
            return state.expectant.filter { $0.grown <= told }.map(\.continuation)
        }
        for one in released { one.resume() }
    }

    // MARK: Telling

    func tell(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let signals = state.withLock { state in
            for change in changes {
                state.window.add(change)
                state.journeys.follow(change)
            }
            return state.listeners.values.map(\.signal)
        }
        for signal in signals { signal.yield() }
    }

    /// A change was lost: every listener learns that there is a gap.
    func tellGap() {
        let signals = state.withLock { state in
            state.window.skip()
            return state.listeners.values.map(\.signal)
        }
        for signal in signals { signal.yield() }
    }

    /// The last changes on their way to devices.
    var journeys: [Journey] { state.withLock { $0.journeys.all } }

    /// Whether a change that gives a secret in any of these groups is on its way, or may be one that is not told yet.
    func followsSecrets(in groups: [String]) -> Bool {
        state.withLock { $0.grown > $0.told || $0.journeys.followsSecrets(in: groups) }
    }

    func begin(_ journey: Journey) { state.withLock { $0.journeys.begin(journey, at: $0.window.last) } }

    func end(_ removal: Change) { state.withLock { $0.journeys.end(removal) } }

    func leave(_ departure: Change) { state.withLock { $0.journeys.leave(departure) } }

    /// Devices came to groups or left them: how many the changes on their way concern is not right any more.
    func miscount() { state.withLock { $0.departures += 1 } }

    /// How often devices came to groups or left them; nil where those of the journeys were counted since.
    var uncountedDepartures: Int? { state.withLock { $0.departures > $0.counted ? $0.departures : nil } }

    /// Takes in how many devices groups had after so many departures; a newer count stays.
    func recount(_ devices: [[String]: Int], after departures: Int) {
        state.withLock { state in
            guard departures > state.counted else { return }
            for (groups, number) in devices { state.journeys.recount(number, in: groups) }
            state.counted = departures
        }
    }

    // MARK: Listening

    /// Begins to listen for an administrator, unless too many do.
    package func listen(as name: String) -> ChangeListener? {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.listeners.count < bounds.listeners,
                state.listeners.values.count(where: { $0.name == name }) < bounds.ofOne
            else { return nil }
            Self.noteGap(&state)
            state.next += 1
            state.listeners[state.next] = Listener(name: name, signal: signal)
            return state.next
        }
        guard let id else { return nil }
        signal.onTermination = { [weak self] _ in self?.forget(id) }
        return ChangeListener(signals: signals, signal: signal)
    }

    private func forget(_ id: UInt64) {
        let now = now()
        state.withLock { state in
            state.listeners[id] = nil
            if state.listeners.isEmpty { state.left = now }
        }
    }

    /// The place after the newest change.
    package var present: Int {
        state.withLock { state in
            Self.noteGap(&state)
            return state.window.last
        }
    }

    /// How a listener names a place, to come back to it.
    package func text(_ place: Int) -> String {
        let now = now()
        return state.withLock { state in
            state.left = now
            return state.window.text(place)
        }
    }

    package func place(_ text: String) -> Int? {
        state.withLock { state in
            Self.noteGap(&state)
            return state.window.place(text)
        }
    }

    /// The changes after a place, the oldest first; nothing if the window has moved past it.
    package func changes(after place: Int, limit: Int) -> [Change]? {
        state.withLock { state in
            Self.noteGap(&state)
            return state.window.changes(after: place, limit: limit)
        }
    }

    /// After a skip the window begins with what comes next, so that a listener in an older place learns of the gap.
    private static func noteGap(_ state: inout State) {
        guard state.hasSkipped else { return }
        state.window.skip()
        state.hasSkipped = false
    }
}

/// One who listens: hears that there is something to read, and ends when it is let go.
package struct ChangeListener: Sendable {
    package let signals: AsyncStream<Void>
    fileprivate let signal: AsyncStream<Void>.Continuation

    package func end() { signal.finish() }
}
