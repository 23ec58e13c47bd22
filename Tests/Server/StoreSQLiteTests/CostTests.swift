import CertificateAuthority
import Foundation
import Management
import StoreContract
import StoreSQLite
import Testing

private let devices = Int(ProcessInfo.processInfo.environment["MARTLET_COST_DEVICES"] ?? "") ?? 0

/// What changes cost that concern many devices: figures to read, for docs/performance.md, with no bound to keep.
@Suite(.serialized, .enabled(if: devices > 0, "MARTLET_COST_DEVICES says of how many devices"))
struct CostTests {
    @Test(arguments: [false, true]) func withdrawingFromAllDevicesOfAGroup(isAssignedElsewhere: Bool) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        try await storeContractManyIdentities(store, devices: devices)
        if isAssignedElsewhere { try await storeContractAssignElsewhere(store) }
        let clock = ContinuousClock()
        let (taken, waits) = try await withThrowingTaskGroup(of: [Duration].self) { group in
            group.addTask {
                var waits: [Duration] = []
                while !Task.isCancelled {
                    let start = clock.now
                    _ = try await store.addGroup(named: "w\(waits.count)", author: "a", now: Date())
                    waits.append(start.duration(to: clock.now))
                }
                return waits
            }
            try await Task.sleep(for: .milliseconds(200))
            let (start, processor) = (clock.now, Self.processorTime)
            let revoked = try await storeContractWithdrawAll(store)
            let taken = (start.duration(to: clock.now), Self.processorTime - processor)
            #expect(revoked == devices)
            group.cancelAll()
            return (taken, try await group.next() ?? [])
        }
        print(
            "COST withdrawal from \(devices), assigned elsewhere \(isAssignedElsewhere): \(taken.0), \(taken.1) of a processor;",
            "a write beside it waited at most \(waits.max() ?? .zero), median \(waits.sorted()[waits.count / 2])")
    }

    @Test func aRoundOfRenewals() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        try await storeContractManyIdentities(store, devices: devices)
        let now = Date(timeIntervalSince1970: 1_800_000_000 + 80_000)
        let clock = ContinuousClock()
        let start = clock.now
        var ordered = 0
        var longest = Duration.zero
        let processor = Self.processorTime
        for device in try await store.dueRenewals(now: now, limit: 100) {
            let command = QueuedCommand(
                uuid: device, requestType: "InstallProfile", document: Data(count: 300), state: .queued,
                deferred: false, author: "martlet-server", created: now, sent: nil, finished: nil, result: nil,
                resultTooLarge: false)
            let before = clock.now
            if case .order = try await store.stepRenewal(of: device, command: command, grace: 10, now: now) {
                ordered += 1
            }
            longest = max(longest, before.duration(to: clock.now))
        }
        print(
            "COST a round of \(ordered) renewals: \(start.duration(to: clock.now)),",
            "\(Self.processorTime - processor) of a processor, the longest write \(longest)")
    }

    /// What this process has had of all processors: on a busy machine more telling than the clock on the wall.
    private static var processorTime: Duration { .microseconds(clock()) }
}
