import Foundation
import GRDB
import Management
import Testing

/// The audit log: complete, chained, and closed to changes.
struct AuditTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    private func actions() async throws -> [String] {
        try await fixture.management.auditEntries(AuditFilter(), PageRequest(limit: 500)).items.map(\.action).reversed()
    }

    @Test func eachChangeHasItsEntry() async throws {
        let management = try fixture.management
        let before = try await actions()
        #expect(before == ["enrollment-code.create", "configuration.set", "assignment.set"])
        let slot = SecretSlot(group: "all", app: "com.example.app", kind: .password, identifier: "login")
        let value = SecretValue.password(userName: nil, password: "planted")
        _ = try #require(await management.setSecret("pin", to: value, author: "alice").value)
        _ = try #require(await management.assignSecret("pin", to: slot, author: "alice").value)
        _ = try #require(await management.credential(name: "pin", version: 1, for: fixture.context()).value)
        _ = try await management.credential(name: "pin", version: 2, for: fixture.context())
        #expect(try await management.unassignSecret(from: slot, author: "alice") == nil)
        #expect(try await management.removeSecret(named: "pin", author: "alice") == nil)
        #expect(try await management.unassign(app: "com.example.app", from: "all", author: "alice") == nil)
        #expect(
            try await management.removeConfiguration(
                app: "com.example.app", name: "main", expected: .any, author: "alice") == nil)
        #expect(try await management.removeDevice("D1", fromGroup: "all", author: "alice") == nil)
        #expect(try await management.addDevice("D1", toGroup: "all", author: "alice") == nil)
        #expect(try await management.withdraw("D1", author: "alice") == nil)
        #expect(
            try await Array(actions().dropFirst(before.count)) == [
                "secret.set", "secret.assign", "secret.release", "secret.unassign", "secret.remove",
                "assignment.remove", "configuration.remove", "device.group.remove", "device.group.add",
                "device.withdraw",
            ])
        let releases = try await management.auditEntries(
            AuditFilter(action: .releaseSecret, subject: "pin"), PageRequest())
        #expect(releases.items.map(\.actor) == ["device:D1"])
        #expect(releases.items.map(\.details) == [#"{"version":1}"#])
        let all = try await management.auditEntries(AuditFilter(actor: "administrator:alice"), PageRequest(limit: 3))
        #expect(all.items.map(\.action) == ["device.withdraw", "device.group.add", "device.group.remove"])
        let rest = try await management.auditEntries(
            AuditFilter(actor: "administrator:alice"), PageRequest(after: all.next))
        #expect(rest.items.first?.action == "configuration.remove")
        #expect(!rest.items.contains { $0.details.contains("planted") })
    }

    @Test func theChainIsWholeAndItsHeadNamesIt() async throws {
        let management = try fixture.management
        let chain = try await management.verifyAudit()
        #expect(chain.length == 3 && chain.brokenAt == nil)
        try await fixture.configure(value: "2")
        let longer = try await management.verifyAudit()
        #expect(longer.length == 4 && longer.head != chain.head)
    }

    @Test(arguments: [
        "UPDATE audit SET actor = 'x' WHERE sequence = 1", "DELETE FROM audit WHERE sequence = 1",
        "INSERT OR REPLACE INTO audit SELECT 1, time, actor, action, subject, details, hash FROM audit WHERE sequence = 1",
    ])
    func theLogRefusesToBeChanged(sql: String) async throws {
        try fixture.closeStore()
        let database = try DatabaseQueue(path: fixture.databasePath)
        #expect(throws: DatabaseError.self) { try database.write { try $0.execute(sql: sql) } }
        try database.close()
    }

    @Test(arguments: [
        "UPDATE audit SET actor = 'administrator:mallory' WHERE sequence = 2",
        "UPDATE audit SET time = time + 1 WHERE sequence = 2", "UPDATE audit SET subject = 'x' WHERE sequence = 2",
        "UPDATE audit SET action = 'secret.set' WHERE sequence = 2",
        "UPDATE audit SET details = '{}' WHERE sequence = 2", "DELETE FROM audit WHERE sequence = 2",
    ])
    func whoeverRewritesItIsFoundOut(sql: String) async throws {
        try fixture.closeStore()
        let database = try DatabaseQueue(path: fixture.databasePath)
        try await database.write { db in
            for trigger in ["audit_is_not_changed", "audit_is_not_removed"] {
                try db.execute(sql: "DROP TRIGGER \(trigger)")
            }
            try db.execute(sql: sql)
        }
        try database.close()
        try fixture.reopen()
        #expect(try await fixture.management.verifyAudit().brokenAt == 2)
    }
}
