import Foundation
import Synchronization

/// Looks at a copy from beside it: one whose target does not take what is written cannot say so itself.
final class CopyWatch: Sendable {
    /// What the watch looks at.
    struct Sizes: Sendable {
        var log: Int
        var database: Int
        var free: Int?
    }

    private struct State {
        var done = -1
        var moved: ContinuousClock.Instant
        var fault: CopyFault?
    }

    /// How often it looks.
    static let pause: Duration = .milliseconds(250)

    private let bounds: CopyBounds
    private let sizes: @Sendable () -> Sizes
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let logAtStart: Int
    private let state: Mutex<State>

    init(
        _ bounds: CopyBounds, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sizes: @escaping @Sendable () -> Sizes
    ) {
        self.bounds = bounds
        self.sizes = sizes
        self.now = now
        let moment = now()
        start = moment
        logAtStart = sizes().log
        state = Mutex(State(moved: moment))
    }

    /// Why the copy ends, once it has to.
    var fault: CopyFault? { state.withLock(\.fault) }

    /// The copy came this far.
    ///
    /// - Throws: why it has to end.
    func step(_ done: Int) throws {
        let moment = now()
        state.withLock { state in
            if done != state.done { (state.done, state.moved) = (done, moment) }
        }
        if let fault = look() { throw fault }
    }

    /// Looks once; what was found to be wrong stays so.
    func look() -> CopyFault? {
        let (found, moment) = (sizes(), now())
        return state.withLock { state in
            if let fault = state.fault { return fault }
            state.fault = bounds.fault(
                of: CopyCourse(
                    elapsed: moment - start, sinceStep: moment - state.moved, logGrowth: found.log - logAtStart,
                    databaseBytes: found.database, freeBytes: found.free))
            return state.fault
        }
    }

    /// Looks again and again until it is canceled.
    ///
    /// - Parameters:
    ///   - grace: how long the copy has to end by itself once it has to end.
    ///   - stuck: hears why when it did not.
    func run(grace: Duration, stuck: @Sendable (CopyFault) -> Void) async {
        while look() == nil {
            do { try await Task.sleep(for: Self.pause) } catch { return }
        }
        do { try await Task.sleep(for: grace) } catch { return }
        if let fault { stuck(fault) }
    }
}
