package import Foundation

/// Problems of the fleet that the audit log records when they begin, as a store finds them.
///
/// `StatusStore.recordStatus` records the problems of apps (`AppAlerts`) in the transaction that keeps the report.
package protocol AlertStore: Sendable {
    /// Records enrolled devices that were last seen before yesterday began (UTC), each once until it is seen again.
    ///
    /// The store remembers the day up to which it has looked, so the work depends on the devices that are newly unseen,
    /// not on the size of the fleet. The first call only sets that day. Returns whether more devices may be left than
    /// the `limit` of one call.
    func alertUnseen(limit: Int, now: Date) async throws -> Bool
}

/// The bounds of the search for devices that are no longer seen.
enum UnseenDevices {
    /// How long the server runs before it looks, in seconds.
    ///
    /// After a server was down for days its devices need some time to connect again.
    static let grace: TimeInterval = 3_600
    /// How many devices one transaction records, and how many transactions one search makes.
    static let part = 500
    static let parts = 40
}

extension Management {
    /// Records devices that are no longer seen.
    func alertUnseen(now moment: Date) async throws {
        guard uptime() - clock.start.boot >= UnseenDevices.grace else { return }
        for _ in 0..<UnseenDevices.parts {
            guard try await store.alertUnseen(limit: UnseenDevices.part, now: moment) else { return }
        }
    }
}
