import Foundation
import Synchronization

/// When the store was last asked to forget: looking for what has had its time reads much.
final class PruneClock: Sendable {
    private static let interval: TimeInterval = 3_600
    /// In seconds on a clock that nobody sets.
    private let last = Mutex<TimeInterval?>(nil)

    func isDue(_ now: TimeInterval) -> Bool {
        last.withLock { last in
            if let time = last, now - time < Self.interval { return false }
            last = now
            return true
        }
    }
}

extension Management {
    /// Writes down what was batched and forgets what has had its time.
    ///
    /// To be called about once a minute.
    package func maintain() async throws {
        let seen = seen.drain()
        if !seen.isEmpty { try await store.recordSeen(seen) }
        let used = tokenUses.drain()
        if !used.isEmpty { try await store.recordTokenUses(used) }
        try await writeRefusedSignIns()
        try await expireCommands()
        judging.begin()
        webhookBell.ring()
        jobBell.ring()
        guard pruning.isDue(uptime()) else { return }
        // One moment for all of it, read before the clock is judged: a step that comes meanwhile ends nothing.
        let moment = moment
        try await store.hastenRenewals(now: moment)
        guard try await endsByAge() else { return }
        try await refreshSnapshotHolders(now: moment)
        try await store.prune(settings.retention, now: moment)
        try await prunePackages(now: moment)
        try await alertUnseen(now: moment)
    }

    /// Writes down what was batched; to be called when the server stops.
    package func flush() async throws {
        let seen = seen.drainAtStop()
        if !seen.isEmpty { try await store.recordSeen(seen) }
        let used = tokenUses.drainAtStop()
        if !used.isEmpty { try await store.recordTokenUses(used) }
        try await writeRefusedSignIns()
    }

    private func writeRefusedSignIns() async throws {
        let refused = refusedSignIns.drain()
        if !refused.isEmpty { try await store.recordRefusedSignIns(refused, now: moment) }
    }

    /// Tells the store which snapshots are of manifests that are still current.
    private func refreshSnapshotHolders(now moment: Date) async throws {
        var current: [SnapshotHolder] = []
        var superseded: [SnapshotHolder] = []
        for holder in try await store.snapshotHolders() {
            // One that no device asked for since the server began is current again as soon as one does.
            let tokens = try await sharedTokens(of: holder.groups)
            if tokens.contains(holder.token) { current.append(holder) } else { superseded.append(holder) }
        }
        if !current.isEmpty { try await store.markCurrent(current) }
        if !superseded.isEmpty { try await store.markSuperseded(superseded, now: moment) }
    }
}
