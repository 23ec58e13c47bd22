package import Foundation
import InputBounds
import Synchronization

/// Decodes on a thread of its own, for a limited time.
///
/// An app's `init(from:)` may never return, and a thread cannot be stopped: it is abandoned, and the app goes on
/// without it. A few may be abandoned; after that every decoding counts as one that takes too long.
///
/// A type that is `Decodable` on the main actor only, as all are in a module whose default is the main actor, may be
/// decoded nowhere else. There the limit cannot be kept, but it can be said that it has passed.
package struct TimedDecoding: Sendable {
    /// What a decoding came to.
    package enum Outcome<Value> {
        case value(Value)
        case refusal(DecodingRefusal)
    }

    /// Five seconds: a decoder does nothing but decode at most one mebibyte.
    package static let standard = TimedDecoding(limit: .seconds(5), abandoned: AbandonedThreads())

    private static let abandonedTrials = AbandonedThreads()

    private let limit: Duration
    private let abandoned: AbandonedThreads

    /// The same for what is only tried: however often that does not end, real configurations are decoded.
    var forTrials: TimedDecoding { TimedDecoding(limit: limit, abandoned: Self.abandonedTrials) }

    /// Decodes within a limit; those who share `abandoned` share its bound.
    package init(limit: Duration, abandoned: AbandonedThreads) {
        self.limit = limit
        self.abandoned = abandoned
    }

    /// Decodes a property list.
    ///
    /// `late` is called, from any thread, when the limit has passed and the decoding goes on all the same.
    package func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, isolation actor: isolated (any Actor)? = #isolation,
        late: @escaping @Sendable () -> Void = {}
    ) async -> sending Outcome<Value> {
        guard abandoned.count < AbandonedThreads.most else { return .refusal(.timeout) }
        let attempt = Attempt<Value>(data: data)
        let mayLeave = actor !== MainActor.shared
        let outcome = await MainActorHop.wait(isolation: actor) {
            await withCheckedContinuation(isolation: actor) {
                (done: CheckedContinuation<Handed<Outcome<Value>?>, Never>) in
                Handed {
                    // Asked on this thread: on the main actor every decodable type is.
                    guard mayLeave || DecodableHere.holds(for: Value.self) else {
                        return done.resume(returning: Handed(nil))
                    }
                    done.resume(returning: Handed(attempt.run(within: limit, abandoned)))
                }.onItsOwnThread()
            }
        }
        if let outcome = unsafe outcome.value { return outcome }
        let watch = Watch(limit, late: late)
        defer { watch.end() }
        return unsafe Handed(attempt.decode()).value
    }
}

/// Whether a type is decodable on the thread that asks.
///
/// The runtime knows, for values: a cast of a value fails where its conformance belongs to an actor that is elsewhere.
private enum DecodableHere {
    static func holds<Value>(for type: Value.Type) -> Bool { isMarked(Probe<Value>()) }

    // Through a type that says nothing: the compiler would otherwise answer, and it knows nothing of threads.
    @inline(never)
    private static func isMarked(_ value: Any) -> Bool { value is any DecodableMark }
}

private protocol DecodableMark {}

private struct Probe<Value> {}

extension Probe: DecodableMark where Value: Decodable {}

/// Says that a time has passed, if it was not ended before.
private struct Watch {
    private let ended = DispatchSemaphore(value: 0)

    init(_ limit: Duration, late: @escaping @Sendable () -> Void) {
        Handed { [ended] in
            if ended.wait(timeout: .now() + limit.interval) == .timedOut { late() }
        }.onItsOwnThread()
    }

    func end() { ended.signal() }
}

extension Duration {
    fileprivate var interval: DispatchTimeInterval {
        .nanoseconds(Int(components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
    }
}

/// How many decoding threads were abandoned and still run.
package final class AbandonedThreads: Sendable {
    /// Each holds a stack and perhaps a processor.
    static let most = 8

    private let running = Mutex(0)

    /// Counts from zero.
    package init() {}

    /// How many still run.
    package var count: Int { running.withLock { $0 } }

    func add(_ change: Int) {
        running.withLock { $0 += change }
    }
}

// A value that one thread makes and then only its receiver uses.
private struct Handed<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value

    init(_ value: Value) {
        unsafe self.value = value
    }
}

extension Handed<() -> Void> {
    // As much as the main thread has: decoders that worked there work here.
    private static let stackSize = 8 << 20

    // A decodable type cannot be named in a closure that crosses threads; in one that is handed over it can.
    func onItsOwnThread() {
        let thread = Thread { unsafe value() }
        thread.name = "decoding"
        thread.stackSize = Self.stackSize
        thread.start()
    }
}

// One decoding: a thread that decodes and one that waits for it. All that both touch is behind the lock; the value is
// made by one and then used by the other only.
private final class Attempt<Value: Decodable>: @unchecked Sendable {
    private struct State {
        var outcome: TimedDecoding.Outcome<Value>?
        var provisional: DecodingRefusal?
        var isAbandoned = false
    }

    private let data: Data
    private let lock = NSLock()
    private var state = State()
    private let ended = DispatchSemaphore(value: 0)

    init(data: Data) {
        self.data = data
    }

    func run(within limit: Duration, _ abandoned: AbandonedThreads) -> TimedDecoding.Outcome<Value> {
        Handed { [self] in
            let outcome = decode()
            let wasAbandoned = lock.withLock {
                state.outcome = outcome
                return state.isAbandoned
            }
            if wasAbandoned { abandoned.add(-1) }
            ended.signal()
        }.onItsOwnThread()
        _ = ended.wait(timeout: .now() + limit.interval)
        return lock.withLock {
            if let outcome = state.outcome { return outcome }
            state.isAbandoned = true
            abandoned.add(1)
            return .refusal(state.provisional ?? .timeout)
        }
    }

    func decode() -> TimedDecoding.Outcome<Value> {
        do {
            _ = try PropertyListScan.check(data, limits: .configuration)
        } catch {
            return .refusal(.unreadable(error.rule))
        }
        do {
            return .value(try PropertyListDecoder().decode(Value.self, from: data))
        } catch {
            var refusal = DecodingRefusal(error)
            guard refusal.keyPath == nil else { return .refusal(refusal) }
            // The error names no place: decode once more, this time noting where the decoder is. A refusal is already
            // certain, so this may run into the time limit without changing it.
            lock.withLock { state.provisional = refusal }
            refusal.keyPath = PathTrace.wherePathEnds(Value.self, data)
            refusal.keyPathSupplied = refusal.keyPath != nil
            return .refusal(refusal)
        }
    }
}
