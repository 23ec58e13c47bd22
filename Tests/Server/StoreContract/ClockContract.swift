import Foundation
import Management

/// Up to when the server has lived, and what a clock that was ahead put off.
package func storeContractBelievedTime(_ make: MakeStore) async throws {
    let store = try await make()
    try await promise("a new store knows of no time") {
        let (believed, newest) = (try await store.believedTime(), try await store.newestAuditTime())
        return believed == nil && newest == nil
    }
    let doubt = BelievedTime.Doubt(time: time(90_000), lived: 60)
    for kept in [BelievedTime(time(7)), BelievedTime(time(8), doubt: doubt), BelievedTime(time(9))] {
        try await store.keepBelievedTime(kept)
        try await promise("what was kept last is found") { try await store.believedTime() == kept }
    }
    _ = try await store.enrolDevice("D1", certificate: 1)
    try await promise("the newest entry has its time") { try await store.newestAuditTime() == time(1) }

    let due = time(86_400 * 2 / 3)
    let command = QueuedCommand(
        uuid: "renew", requestType: "InstallProfile", document: Data(), state: .queued, deferred: false,
        author: "martlet-server", created: due, sent: nil, finished: nil, result: nil, resultTooLarge: false)
    try await store.hastenRenewals(now: time(0))
    try await promise("what was not told to renew waits for its time") {
        try await store.dueRenewals(now: time(0), limit: 9).isEmpty
    }
    _ = try await store.stepRenewal(of: "D1", command: command, grace: .infinity, now: time(9_000_000))
    try await store.hastenRenewals(now: time(9_000_000))
    try await promise("a pause that is no longer than pauses are stays") {
        try await store.dueRenewals(now: time(9_000_000), limit: 9).isEmpty
    }
    try await store.hastenRenewals(now: time(100))
    try await promise("one that a clock ahead reckoned is over") {
        try await store.dueRenewals(now: time(100), limit: 9) == ["D1"]
    }
}
