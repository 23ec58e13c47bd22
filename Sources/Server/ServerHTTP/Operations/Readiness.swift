import Foundation
import Management

/// Whether this server can do what it is asked for now.
///
/// Anybody may ask, so the store is asked at most once a second; requests in between get the last result, unless its
/// disk has begun or ceased to refuse changes since.
actor Readiness {
    /// Why it cannot.
    enum Fault: String, Sendable {
        case silent = "the store does not answer"
        case overload = "too many changes wait to be written"
        case noSpace = "the disk of the database is full"
        case readOnly = "the disk of the database cannot be written to"
        case denied = "the server is not allowed to write to the database"
        case failing = "the disk of the database reports errors"
        case unreachable = "the files of the database cannot be opened"
        case moved = "the files of the database were moved or replaced"
        case unreadable = "the database cannot be read"
        /// What is read from a damaged file may be wrong, too: it stays so until the server is started again.
        case damaged = "the database is damaged"
    }

    private let facts: @Sendable () async throws -> StoreFacts
    private let refusal: @Sendable () -> StoreDiskRefusal.Cause?
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private var last: (time: ContinuousClock.Instant, refusal: StoreDiskRefusal.Cause?, answer: Task<Look, Never>)?

    /// What was seen when the store was asked.
    struct Look: Sendable {
        let fault: Fault?
        /// Nothing where it did not answer.
        let facts: StoreFacts?

        fileprivate static let silent = Look(fault: .silent, facts: nil)

        fileprivate init(fault: Fault?, facts: StoreFacts?) { (self.fault, self.facts) = (fault, facts) }
    }

    init(
        patience: Duration = .seconds(2), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        refusal: @escaping @Sendable () -> StoreDiskRefusal.Cause? = { nil },
        facts: @escaping @Sendable () async throws -> StoreFacts
    ) {
        (self.facts, self.refusal, self.patience, self.now) = (facts, refusal, patience, now)
    }

    /// What is wrong, or nothing.
    func fault() async -> Fault? { await look().fault }

    /// The same with what the store says of itself.
    func look() async -> Look {
        let (time, refusal) = (now(), self.refusal())
        if let last, last.time.advanced(by: .seconds(1)) > time, last.refusal == refusal {
            return await last.answer.value
        }
        let answer = Task { [facts, patience] in await Self.ask(facts, patience) }
        last = (time, refusal, answer)
        return await answer.value
    }

    /// What comes first, an answer or the end of patience: a store that hangs is not waited for.
    private static func ask(
        _ facts: @escaping @Sendable () async throws -> StoreFacts, _ patience: Duration
    ) async -> Look {
        let (answers, sink) = AsyncStream.makeStream(of: Look.self)
        let asking = Task { sink.yield((try? await facts()).map { Look(fault: judge($0), facts: $0) } ?? .silent) }
        let waiting = Task {
            try await Task.sleep(for: patience)
            sink.yield(.silent)
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await answer in answers { return answer }
        return .silent
    }

    private static func fault(for cause: StoreDiskRefusal.Cause) -> Fault {
        switch cause {
        case .full: .noSpace
        case .readOnly: .readOnly
        case .denied: .denied
        case .failing: .failing
        case .unreachable: .unreachable
        case .moved: .moved
        }
    }

    private static func judge(_ facts: StoreFacts) -> Fault? {
        // What is read then may be another database, or none.
        if facts.refusing == .moved { return .moved }
        switch facts.standing {
        case .damaged: return .damaged
        case .unreadable: return .unreadable
        case .readable: break
        }
        if facts.isStuck { return .silent }
        if let refusal = facts.refusing.map(Self.fault(for:)) { return refusal }
        if facts.waitingWrites * 10 >= facts.mostWaitingWrites * 9 { return .overload }
        if let free = facts.freeBytes, free < StoreFacts.leastRoom { return .noSpace }
        return nil
    }
}
