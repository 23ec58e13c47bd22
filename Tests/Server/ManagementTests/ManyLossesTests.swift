import Foundation
import Management
import StoreContract
import StoreSQLite
import Testing

/// A secret that is taken from more devices than one change deals with.
struct ManyLossesTests {
    private static let devices = SecretLimits.revokedAtOnce + 20
    private static let app = "com.example.app"
    private static let slot = SecretSlot(group: "g", app: app, kind: .identity, identifier: "client")

    private let fixture: Fixture
    private let beside: SQLiteStore

    init() async throws {
        fixture = try Fixture()
        beside = try fixture.besideServer().store
        try await storeContractManyIdentities(beside, devices: Self.devices)
    }

    private func revoked() async throws -> Int { try await beside.revokedIdentities(now: Fixture.start).count }

    private func unassign() async throws {
        try #expect(await fixture.management.unassignSecret(from: Self.slot, author: "admin") == nil)
        try #expect(await revoked() == SecretLimits.revokedAtOnce)
    }

    @Test(arguments: [false, true])
    func theOthersLoseItBehindTheChangeAlsoAfterAnotherStart(restarts: Bool) async throws {
        try await unassign()
        if restarts { try fixture.restart() }
        try await fixture.management.judgeGroups()
        try #expect(await revoked() == Self.devices)
    }

    @Test func whatWasTakenIsNotLeftToWhoIsGivenItAgain() async throws {
        try await unassign()
        _ = try #require(await fixture.management.assignSecret("s", to: Self.slot, author: "admin").value)
        try #expect(await revoked() == Self.devices)
    }

    /// Another secret in its place takes it from all, as long as its assignment goes before.
    @Test func norToWhoIsGivenItAgainByAPriority() async throws {
        let management = try fixture.management
        func assign(_ priority: Int) async throws {
            _ = try #require(
                await management.assign(
                    app: Self.app, configuration: nil, priority: priority, to: "h", author: "admin"
                ).value)
        }
        _ = try #require(await management.createGroup(named: "h", author: "admin").value)
        for number in 1...Self.devices {
            _ = try #require(await management.addDevice("d\(number)", toGroup: "h", author: "admin").value)
        }
        try await assign(-1)
        try await storeContractOtherIdentity(beside, "other")
        let slot = SecretSlot(group: "h", app: Self.app, kind: .identity, identifier: "client")
        _ = try #require(await management.assignSecret("other", to: slot, author: "admin").value)
        try #expect(await revoked() == 0)
        try await assign(1)
        try #expect(await revoked() == SecretLimits.revokedAtOnce)
        try await assign(-1)
        try #expect(await revoked() == Self.devices)
    }

    @Test func whoGoesAwayBeforeAllHaveLostItGivesNothing() async throws {
        try await unassign()
        let management = try fixture.management
        let gone = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await management.assignSecret("s", to: Self.slot, author: "admin")
        }
        gone.cancel()
        await #expect(throws: CancellationError.self) { try await gone.value }
        #expect(try await management.secretAssignments(SecretAssignmentFilter(secret: "s"), PageRequest()).items == [])
    }

    @Test func whoTakesItFromTheOthersIsCalled() async throws {
        #expect(try await fixture.callsWhoJudges { try await unassign() })
    }
}
