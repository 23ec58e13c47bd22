import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import StoreSQLite
import Synchronization
import Testing

/// What devices leave with the server: sealed, on record, given to the device alone, gone with its enrollment.
struct EscrowTests {
    private static let token = Data("a token that nobody is to see".utf8)
    private static let other = Data("another token that nobody is to see".utf8)
    private static let device = Fixture.identifier("D1")

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
    }

    private func leave(_ token: Data?) async throws {
        let message = SetBootstrapToken(identifier: Self.device, token: token)
        #expect(try await fixture.management.checkIn(.setBootstrapToken(message), signer: Fixture.signer) == .done)
    }

    private func ask(signer: Data = Fixture.signer) async throws -> CheckInAnswer {
        try await fixture.management.checkIn(.getBootstrapToken(Self.device), signer: signer)
    }

    private func given() async throws -> Data? {
        guard case .propertyList(let document) = try await ask() else {
            Issue.record("the answer is a property list")
            return nil
        }
        return try BootstrapTokenAnswer(parsing: document).token
    }

    private func update(unlockToken: Data?) async throws {
        let message = TokenUpdate(
            identifier: Self.device, topic: "t", token: Data([1]), pushMagic: "m", unlockToken: unlockToken)
        #expect(try await fixture.management.checkIn(.tokenUpdate(message), signer: Fixture.signer) == .done)
    }

    /// What the audit log says of tokens, the oldest first.
    private func record() async throws -> [String] {
        let entries = try await fixture.management.auditEntries(AuditFilter(subject: "D1"), PageRequest()).items
        return entries.reversed().filter { $0.action.hasPrefix("device.escrow.") }.map { "\($0.action) \($0.details)" }
    }

    @Test func aDeviceIsGivenWhatItLeft() async throws {
        #expect(try await given() == nil)
        try await leave(Self.token)
        #expect(try await given() == Self.token)
        try await leave(Self.token)
        try await leave(Self.other)
        #expect(try await given() == Self.other)
        try await leave(nil)
        try await leave(nil)
        #expect(try await given() == nil)
        let actions = ["keep", "give", "keep", "give", "remove"]
        #expect(try await record() == actions.map { "device.escrow.\($0) {\"token\":\"bootstrap\"}" })
    }

    @Test func nobodyElseIsGivenIt() async throws {
        try await leave(Self.token)
        let stranger = Data(repeating: 5, count: 32)
        try await fixture.enrol("D2", signer: stranger)
        guard case .refused(.mismatch) = try await ask(signer: stranger) else {
            Issue.record("another device's certificate is refused")
            return
        }
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        #expect(try await ask() == .refused(.withdrawn))
    }

    /// Red before: an unlock token lay in the database as it came.
    @Test func nothingIsKeptInTheClear() async throws {
        try await leave(Self.token)
        try await update(unlockToken: Self.other)
        for file in try fixture.files() {
            #expect(file.range(of: Self.token) == nil && file.range(of: Self.other) == nil)
        }
    }

    @Test func itGoesWithTheEnrollment() async throws {
        try await leave(Self.token)
        try await update(unlockToken: Self.other)
        for token in EscrowedToken.allCases {
            #expect(try await fixture.store.escrowedToken(token, of: "D1") != nil)
        }
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        for token in EscrowedToken.allCases {
            #expect(try await fixture.store.escrowedToken(token, of: "D1") == nil)
        }
    }

    /// The protocol: a TokenUpdate without an unlock token does not end the one that was sent before.
    @Test func theUnlockTokenLeavesInAClearPasscodeAlone() async throws {
        try await update(unlockToken: Self.token)
        try await update(unlockToken: Self.token)
        try await update(unlockToken: nil)
        let request = PropertyListValue.dictionary(["RequestType": .string("ClearPasscode")])
        let queued = try #require(
            await fixture.management.enqueue(request, for: "D1", author: "admin").value)
        let command = try #require(await fixture.command(.idle))
        #expect(command.uuid == queued.uuid && command.request["UnlockToken"]?.data == Self.token)
        let stored = try #require(await fixture.management.command(queued.uuid, of: "D1"))
        #expect(try Command(parsing: stored.document).request["UnlockToken"] == nil)
        let actions = ["keep", "give"]
        #expect(try await record() == actions.map { "device.escrow.\($0) {\"token\":\"unlock\"}" })
    }

    /// A store of an earlier version has unlock tokens as they came: the first start seals them, and leaves nothing of them.
    @Test func whatAnEarlierVersionKeptIsSealedAtTheStart() async throws {
        try await fixture.betweenServers { db in
            try db.execute(sql: "UPDATE enrollment SET unlock_token = ? WHERE key = 'D1'", arguments: [Self.token])
        }
        #expect(try fixture.files().contains { $0.range(of: Self.token) != nil })
        #expect(try await fixture.management.unlockSecrets() == nil)
        #expect(try await fixture.store.escrowedToken(.unlock, of: "D1") != nil)
        try fixture.restart()
        #expect(try fixture.files().allSatisfy { $0.range(of: Self.token) == nil })
        let request = PropertyListValue.dictionary(["RequestType": .string("ClearPasscode")])
        _ = try #require(await fixture.management.enqueue(request, for: "D1", author: "admin").value)
        #expect(try await fixture.command(.idle)?.request["UnlockToken"]?.data == Self.token)
    }

    /// Another process may have begun to wrap under a newer key: the token is sealed under that one.
    @Test func itMovesWithTheMasterKey() async throws {
        try await leave(Self.token)
        let old = fixture.surroundings.keys.withLock { $0 }
        let new = MasterKeys.newKeyText()
        fixture.surroundings.keys.withLock { $0 = new + "\n" + old }
        let beside = try fixture.besideServer()
        #expect(try await beside.management.rewrapSecrets() == 1)
        try beside.store.close()
        fixture.surroundings.keys.withLock { $0 = new }
        #expect(try await given() == Self.token)
        try await leave(Self.other)
        #expect(try await given() == Self.other)
    }

    @Test func aTokenIsFoundAgainByTheNameOfItsSeal() throws {
        for token in EscrowedToken.allCases {
            let place = try #require(EscrowedToken.place(sealedAs: token.sealName(of: "D1:user")))
            #expect(place.token == token && place.device == "D1:user")
        }
        for name in ["webhook:1", "push:credential", "bootstrap-token", "pin"] {
            #expect(EscrowedToken.place(sealedAs: name) == nil)
        }
    }
}
