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

    private let path: String
    private let state = Mutex(State())

    /// Watches the store's file.
    init(path: String) { self.path = path }

    var isDamaged: Bool { state.withLock(\.isDamaged) }

    /// Has a call made when damage is met, or now if it was.
    func add(_ call: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.calls.append(call)
            return state.isDamaged
        }
        if isLate { call() }
    }

    /// Looks at what an operation of the store ended with: the damage that it met, or the error as it is.
    func judge(_ error: any Error) -> any Error {
        guard let kind = Self.damage(error) else { return error }
        let calls: [@Sendable () -> Void] = state.withLock { state in
            defer { state.isDamaged = true }
            return state.isDamaged ? [] : state.calls
        }
        for call in calls { call() }
        return StoreDamage(kind, path: path)
    }

    /// The damage that an error of SQLite is; nothing if it is another.
    static func damage(_ error: any Error) -> StoreDamage.Kind? {
        guard let error = error as? DatabaseError else { return nil }
        return switch error.resultCode {
        case .SQLITE_CORRUPT: .malformed
        case .SQLITE_NOTADB: .noDatabase
        default: nil
        }
    }
}

extension SQLiteStore {
    /// Has a call made when SQLite meets damage in the store's file: once, and at once if it did already.
    package func whenDamaged(_ call: @escaping @Sendable () -> Void) { damageWatch.add(call) }
}
