import Foundation
import Management
import Synchronization

/// A watcher hears of each commit that appended to the log, and finds the entry there.
package func storeContractAuditWatch(_ make: MakeStore) async throws {
    let store = try await make()
    let calls = Mutex(0)
    _ = try await store.addGroup(named: "before", author: "a", now: time(0))
    store.whenAuditGrows { calls.withLock { $0 += 1 } }
    _ = try await store.addGroup(named: "one", author: "a", now: time(0))
    let first = calls.withLock { $0 }
    try await promise("a commit that appended is told of before its writer is answered") { first >= 1 }
    try await store.recordSeen([:])
    _ = try await store.addGroup(named: "one", author: "a", now: time(0))
    try await promise("one that appended nothing is not") { calls.withLock { $0 } == first }
    _ = try await store.addGroup(named: "two", author: "a", now: time(0))
    try await promise("the next one is told of again") { calls.withLock { $0 } == first + 1 }
}
