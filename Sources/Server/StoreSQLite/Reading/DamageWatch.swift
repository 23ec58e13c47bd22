import GRDB
import Management
import Synchronization

/// Remembers that SQLite met damage in the store's file, and says so once.
///
/// What was damaged once is not trusted again before a restart: reads elsewhere in the file succeed as if nothing were.
final class DamageWatch: Sendable {
    private struct State {
        var isDamaged = false
        var calls: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var isDamaged: Bool { state.withLock(\.isDamaged) }

    /// Has a call made when damage is met, or now if it was.
    func add(_ call: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.calls.append(call)
            return state.isDamaged
        }
        if isLate { call() }
    }

    /// Looks at what an operation of the store ended with.
    func look(_ error: any Error) {
        guard Self.isDamage(error) else { return }
        let calls: [@Sendable () -> Void] = state.withLock { state in
            defer { state.isDamaged = true }
            return state.isDamaged ? [] : state.calls
        }
        for call in calls { call() }
    }

    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }
}

extension SQLiteStore {
    /// Has a call made when SQLite meets damage in the store's file: once, and at once if it did already.
    package func whenDamaged(_ call: @escaping @Sendable () -> Void) { damageWatch.add(call) }
}
