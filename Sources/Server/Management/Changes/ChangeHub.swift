import Foundation
import Synchronization

/// Where changes are told, once they are on disk, to whoever listens.
///
/// Whoever changes something only leaves word here and goes on; `Management.followChanges` tells it. All listeners read the
/// same window, each from a place of its own: a slow one costs nothing and keeps nobody waiting, and when the window has
/// moved past its place it is told so.
package final class ChangeHub: Sendable {
    /// How many may listen at once, and how many of them under one name.
    package struct Bounds: Sendable {
        package var listeners = 256
        package var ofOne = 32
        /// What devices did that nobody was told yet; more is a gap.
        package var waiting = 8_192
        package var window = ChangeWindow.size

        package init() {}
    }

    /// What a device did, in the order in which it is to be told.
    enum Happening: Sendable, Equatable {
        case change(Change)
        case fetched(device: String)
        case reported(device: String)
    }

    private struct State {
        var window: ChangeWindow
        var listeners: [UInt64: Listener] = [:]
        var next: UInt64 = 0
        var waiting: [(happening: Happening, place: Int)] = []
        var isGap = false
        var journeys = Journeys()
        /// How often the log grew, as far as was noticed, and how much of that was told.
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
    /// On which set devices settled last.
    private let settled = BoundedCache<String, String>(capacity: 131_072)

    package init(run: String, bounds: Bounds = Bounds()) {
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

    /// Leaves word of what a device did.
    func note(_ happening: Happening) {
        state.withLock { state in
            if state.waiting.count >= bounds.waiting {
                state.waiting = []
                state.isGap = true
            }
            state.waiting.append((happening, state.window.last))
        }
        call.yield()
    }

    /// What was left.
    struct Left {
        /// Each with the place of what had been told by then.
        let happenings: [(happening: Happening, place: Int)]
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
            return Left(happenings: state.waiting, isGap: state.isGap, grown: state.grown)
        }
    }

    // MARK: Beginning and keeping up

    /// From here on whatever changes is told.
    func begin() { release { $0.hasBegun = true } }

    /// Nothing more is told.
    func end() { release { $0.hasEnded = true } }

    /// What was in the log when it had grown so often is told, or cannot be told now.
    func keepUp(with grown: Int) { release { $0.told = max($0.told, grown) } }

    /// Waits until whatever changes is told, which is a moment after the start.
    package func begun() async { await wait { _ in 0 } }

    /// Waits until what is in the log by now is told.
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

    /// Whether a device is known to have settled on this set.
    func hasSettled(_ device: String, on token: String) -> Bool { settled.value(device) == token }

    /// Whether a device settles now: it had not settled on this set before, as far as is known.
    func settles(_ device: String, _ token: String) -> Bool {
        guard !hasSettled(device, on: token) else { return false }
        settled.keep(token, device, settled.ticket(device))
        return true
    }

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

    /// Something was lost: every listener is told that there is a gap.
    func tellGap() {
        let signals = state.withLock { state in
            state.window.skip()
            return state.listeners.values.map(\.signal)
        }
        for signal in signals { signal.yield() }
    }

    /// The last changes on their way to devices.
    var journeys: [Journey] { state.withLock { $0.journeys.all } }

    func begin(_ journey: Journey) { state.withLock { $0.journeys.begin(journey, at: $0.window.last) } }

    // MARK: Listening

    /// Begins to listen under a name, unless too many do.
    package func listen(as name: String) -> ChangeListener? {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.listeners.count < bounds.listeners,
                state.listeners.values.count(where: { $0.name == name }) < bounds.ofOne
            else { return nil }
            state.next += 1
            state.listeners[state.next] = Listener(name: name, signal: signal)
            return state.next
        }
        guard let id else { return nil }
        signal.onTermination = { [weak self] _ in self?.forget(id) }
        return ChangeListener(signals: signals, signal: signal)
    }

    private func forget(_ id: UInt64) {
        state.withLock { $0.listeners[id] = nil }
    }

    /// The place after the newest change.
    package var present: Int { state.withLock { $0.window.last } }

    package func text(_ place: Int) -> String { state.withLock { $0.window.text(place) } }

    package func place(_ text: String) -> Int? { state.withLock { $0.window.place(text) } }

    /// The changes after a place, the oldest first; nothing if the window has moved past it.
    package func changes(after place: Int, limit: Int) -> [Change]? {
        state.withLock { $0.window.changes(after: place, limit: limit) }
    }
}

/// One who listens: hears that there is something to read, and ends when it is let go.
package struct ChangeListener: Sendable {
    package let signals: AsyncStream<Void>
    fileprivate let signal: AsyncStream<Void>.Continuation

    package func end() { signal.finish() }
}
