import Foundation
import Management

/// Whether this server can do what it is asked for now.
///
/// Anybody may ask, so the store is asked at most once a second; requests in between get the last result.
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
        case unreadable = "the database cannot be read"
        /// What is read from a damaged file may be wrong, too: it stays so until the server is started again.
        case damaged = "the database is damaged"
    }

    /// A database that is this near to a full disk takes nothing more.
    private static let reserve = 16 << 20

    private let facts: @Sendable () async throws -> StoreFacts
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private var last: (time: ContinuousClock.Instant, answer: Task<Look, Never>)?

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
        facts: @escaping @Sendable () async throws -> StoreFacts
    ) {
        (self.facts, self.patience, self.now) = (facts, patience, now)
    }

    /// What is wrong, or nothing.
    func fault() async -> Fault? { await look().fault }

    /// The same with what the store says of itself.
    func look() async -> Look {
        let time = now()
        if let last, last.time.advanced(by: .seconds(1)) > time { return await last.answer.value }
        let answer = Task { [facts, patience] in await Self.ask(facts, patience) }
        last = (time, answer)
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
        }
    }

    private static func judge(_ facts: StoreFacts) -> Fault? {
        switch facts.standing {
        case .damaged: return .damaged
        case .unreadable: return .unreadable
        case .readable: break
        }
        if facts.isStuck { return .silent }
        if let refusal = facts.refusing.map(Self.fault(for:)) { return refusal }
        if facts.waitingWrites * 10 >= facts.mostWaitingWrites * 9 { return .overload }
        if let free = facts.freeBytes, free < reserve { return .noSpace }
        return nil
    }
}
