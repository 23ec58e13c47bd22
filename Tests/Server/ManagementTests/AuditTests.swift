import DeviceMessages
import Foundation
import GRDB
import InputBounds
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
        #expect(
            before == [
                "group.create", "enrollment-code.create", "device.enroll", "app.set", "configuration.set",
                "assignment.set",
            ])
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
        #expect(try await management.addDevice("D1", toGroup: "all", author: "alice").value == [])
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

    /// Everything else that an administrator or a device can change, each in its own words and without any value.
    @Test func whateverIsChangedIsOnTheRecord() async throws {
        let management = try fixture.management
        let before = try await actions().count
        let first = try #require(await management.createFirstAdministrator())
        let log = try await management.logIn(name: first.name, password: first.oneTimePassword)
        let opened = try #require(log.value)
        let refusal = try await management.changePassword(
            token: opened.token, session: opened.session, old: first.oneTimePassword, new: "planted password")
        #expect(refusal == nil)
        try await management.logOut(token: opened.token)
        try await management.logOut(token: opened.token)
        _ = try await management.createGroup(named: "g", author: "admin")
        let code = try await management.createEnrollmentCode(EnrollmentCodeRequest(group: "g"), author: "admin")
        #expect(try await management.removeGroup(named: "g", author: "admin") == nil)
        let app = App(bundleIdentifier: "com.example.other", name: "n", teamIdentifier: nil)
        for _ in 1...2 { _ = try await management.putApp(app, author: "admin") }
        _ = try await management.requestUpdateCheck(of: app.bundleIdentifier, author: "admin")
        #expect(try await management.removeApp(app.bundleIdentifier, author: "admin") == nil)
        let request = PropertyListValue.dictionary(["RequestType": .string("EraseDevice"), "PIN": .string("planted")])
        let command = try #require(await management.enqueue(request, for: "D1", author: "admin").value)
        #expect(try await management.removeCommand(command.uuid, of: "D1", author: "admin") == nil)
        let farewell = CheckOut(identifier: Fixture.identifier("D1"), topic: "t")
        #expect(try await management.checkIn(.checkOut(farewell), signer: Fixture.signer) == .done)
        #expect(
            try await Array(actions().dropFirst(before)) == [
                "administrator.create", "session.open", "administrator.password.change", "session.close",
                "group.create", "enrollment-code.create", "enrollment-code.revoke", "group.remove", "app.set",
                "app.update-check", "app.remove", "command.queue", "command.remove", "device.check-out",
            ])
        let all = try await management.auditEntries(AuditFilter(), PageRequest(limit: 500)).items
        let values = [first.oneTimePassword, opened.token, "planted", try #require(code.value?.text)]
        for entry in all {
            #expect(!values.contains { entry.details.contains($0) || entry.subject.contains($0) })
        }
        #expect(try await management.verifyAudit().fault == nil)
    }

    /// Red where a guess at an administrator's password was in the log of the program alone, without the account.
    ///
    /// A name that no administrator has is in no entry: people type passwords there.
    @Test func failedSignInsAreOnTheRecordWithTheAccount() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        for address in ["192.0.2.1", "192.0.2.2"] {
            _ = try await management.logIn(name: first.name, password: "planted guess", from: address)
        }
        _ = try await management.logIn(name: "planted-name", password: "planted guess", from: "192.0.2.3")
        let refused = AuditFilter(action: .refuseSession)
        #expect(try await management.auditEntries(refused, PageRequest()).items.isEmpty, "not while somebody waits")
        for _ in 1...2 { try await management.maintain() }
        let entries = try await management.auditEntries(refused, PageRequest()).items
        #expect(entries.map(\.subject) == [first.name])
        #expect(entries.first?.details.contains(#""attempts":2"#) == true)
        #expect(entries.first?.details.contains("192.0.2.2") == true)
        #expect(entries.allSatisfy { !$0.details.contains("planted") })
        _ = try await management.logIn(name: first.name, password: "planted guess")
        try await management.flush()
        #expect(try await management.auditEntries(refused, PageRequest()).items.count == 2, "a stop loses none")
    }

    @Test func entriesAreFoundByTime() async throws {
        let management = try fixture.management
        fixture.advance(60)
        _ = try await management.createGroup(named: "later", author: "admin")
        fixture.advance(60)
        _ = try await management.createGroup(named: "last", author: "admin")
        func subjects(_ since: TimeInterval?, _ until: TimeInterval?) async throws -> [String] {
            try await management.auditEntries(
                AuditFilter(
                    action: .createGroup, since: since.map { Fixture.start + $0 },
                    until: until.map { Fixture.start + $0 }),
                PageRequest()
            ).items.map(\.subject)
        }
        #expect(try await subjects(60, nil) == ["last", "later"])
        #expect(try await subjects(60, 120) == ["later"])
        #expect(try await subjects(nil, 60) == ["all"])
        #expect(try await subjects(61, 120) == [])
    }

    @Test func theChainIsWholeAndItsHeadNamesIt() async throws {
        let management = try fixture.management
        let chain = try await management.verifyAudit()
        #expect(chain.length == 6 && chain.fault == nil)
        try await fixture.configure(value: "2")
        let longer = try await management.verifyAudit()
        #expect(longer.length == 7 && longer.head != chain.head)
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
        try await fixture.betweenServers { db in
            for trigger in ["audit_is_not_changed", "audit_is_not_removed"] {
                try db.execute(sql: "DROP TRIGGER \(trigger)")
            }
            try db.execute(sql: sql)
        }
        #expect(try await fixture.management.verifyAudit().fault == .entry(2))
    }
}
