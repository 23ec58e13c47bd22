import Dispatch
import Foundation
import Management
import StoreSQLite
import Waiting

/// A store whose writer is at work for as long as a test wants: changes wait in their order, and what is there is read.
final class HeldWriter: Sendable {
    let store: SQLiteStore
    private let release = DispatchSemaphore(value: 0)

    private init(_ store: SQLiteStore) { self.store = store }

    /// Lets the writer go at the latest when `body` ends.
    static func of<Result: Sendable>(
        _ store: SQLiteStore, _ body: (HeldWriter) async throws -> Result
    ) async throws -> Result {
        let held = HeldWriter(store)
        let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
        // The writer seals inside its transaction: here it waits there.
        let draft = SecretDraft(
            name: "blocker", kind: .password, description: SecretDescription(), author: "a", now: Date(),
            seal: { _ in
                begun.finish()
                held.release.wait()
                throw CancellationError()
            })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await store.putSecret(draft, expected: .any, keeping: 1) }
            for await _ in beginning {}
            defer { held.letGo() }
            return try await body(held)
        }
    }

    func letGo() { release.signal() }

    /// Returns when an operation of the store, such as `putPeople`, waits for the writer.
    func isAwaited(by operation: String) async throws {
        try await eventually("\(operation) waits for the writer, not only \(store.waitingOperations)") {
            store.waitingOperations.contains { $0.hasPrefix(operation + "(") }
        }
    }
}
