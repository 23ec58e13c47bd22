import GRDB
import Synchronization

/// Notices after each commit that the audit log grew; listeners read the log from a connection of their own.
final class AuditWatch: Sendable {
    private struct State {
        var last = 0
        var calls: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func add(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.calls.append(call) } }

    /// One step to the end of the log's key; nothing while nobody wants to know.
    func look(_ db: Database) {
        let calls = state.withLock { $0.calls }
        guard !calls.isEmpty else { return }
        // What cannot be read now is noticed after the next commit.
        guard let last = try? Int.fetchOne(db.cachedStatement(sql: "SELECT MAX(sequence) FROM audit")) else { return }
        let isNew = state.withLock { state in
            defer { state.last = last }
            return state.last != last
        }
        if isNew { for call in calls { call() } }
    }
}

extension SQLiteStore {
    package func whenAuditGrows(_ call: @escaping @Sendable () -> Void) { auditWatch.add(call) }
}
