import AppSpecification
import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Testing

@testable import Management

/// What is kept of jobs, and what one that was interrupted still knows.
struct JobRecordTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func add(
        _ devices: [String], isForced: Bool = false, author: String = "admin"
    ) async throws -> Outcome<Job, AdminRefusal> {
        try await fixture.management.startAddingDevices(
            devices, toGroup: "pilots", isForced: isForced, author: author)
    }

    /// Beyond a bound the oldest go, but none that has not ended.
    @Test func theNewestAreKeptAndAllThatHaveNotEnded() async throws {
        try await fixture.administrate()
        let open = try #require(await add(["first"]).value)
        try await fixture.betweenServers { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 510)
                    INSERT INTO job (id, kind, author, created, request, state, resumed, standstills, done, total, ended)
                    SELECT 'old' || n, 'group.devices', 'admin', :now, '{}', 'done', 0, 0, 0, 0, :now FROM n
                    """,
                arguments: ["now": Int(Fixture.start.timeIntervalSince1970)])
        }
        _ = try #require(await add(["last"]).value)
        let store = try fixture.management.store
        var kept: [String] = []
        var cursor: String?
        repeat {
            let page = try await store.jobs(of: nil, PageRequest(after: cursor, limit: 400))
            kept += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(kept.count == 501 && Set(kept).count == 501)
        #expect(kept.last == open.id && kept.dropLast().last == "old12" && !kept.contains("old11"))
    }

    /// What one part found out is known to the next, also after the server ended: here that nothing records where the log
    /// begins.
    @Test func aBeginningThatNothingRecordsIsFoundAlsoBehindAnInterruption() async throws {
        try await fixture.hire("admin")
        try await grow(4)
        fixture.advance(3 * 365 * 24 * 3_600)
        try await grow(1_500)
        fixture.advance(2 * 24 * 3_600)
        try await fixture.management.maintain()
        try #require(try await fixture.management.verifyAudit().first == 6)
        try await fixture.betweenServers { db in
            try db.execute(
                sql: "DROP TRIGGER audit_is_not_removed; DELETE FROM audit WHERE action = 'audit.prune'")
        }
        let job = try #require(await fixture.management.startAuditVerification(author: "admin").value)
        let management = try fixture.management
        let taken = try await management.store.takeJobs(by: management.generation, now: management.moment)
        _ = try await management.store.finish(
            management.verifyPart(of: try #require(taken.first)), of: job.id, by: management.generation,
            now: management.moment)
        try fixture.restart()
        try await fixture.management.workOnJobs()
        let found = try #require(await fixture.management.store.job(job.id))
        #expect(found.state == .done && found.resumed == 1)
        #expect(found.result?["intact"] == .boolean(false) && found.result?["brokenAt"] == .integer(6))
    }

    /// What had its time while the log was followed is not among what was found: it is followed anew from where it begins.
    @Test func aLogThatBeginsElsewhereMeanwhileIsFollowedAnew() async throws {
        try await fixture.hire("admin")
        try await grow(4)
        fixture.advance(3 * 365 * 24 * 3_600)
        try await grow(1_500)
        fixture.advance(2 * 24 * 3_600)
        let management = try fixture.management
        let job = try #require(await management.startAuditVerification(author: "admin").value)
        let taken = try await management.store.takeJobs(by: management.generation, now: management.moment)
        _ = try await management.store.finish(
            management.verifyPart(of: try #require(taken.first)), of: job.id, by: management.generation,
            now: management.moment)
        try await management.maintain()
        try await management.workOnJobs()
        let found = try #require(await management.store.job(job.id))
        let log = try await management.verifyAudit()
        #expect(found.state == .done && found.result?["intact"] == .boolean(true))
        #expect(log.first == 6 && found.result?["first"] == .integer(6))
        #expect(found.result?["entries"] == .integer(Int64(log.count)))
    }

    private func grow(_ count: Int) async throws {
        let table = "userName\n" + (1...count).map { "p\($0)" }.joined(separator: "\n")
        _ = try #require(
            await fixture.management.importPeople(Data(table.utf8), dryRun: false, author: "admin").value)
    }

    /// What an API token began goes on as long as its administrator may do it.
    @Test func aTokensJobIsItsAdministrators() async throws {
        try await fixture.administrate()
        try await fixture.enrol("D1")
        let session = Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all)
        _ = try #require(
            await fixture.management.createToken(
                named: "program", scope: TokenScope(rights: .all), validSeconds: 60, of: session
            ).value)
        let asked = try #require(await add(["D1"], author: "admin/program").value)
        try await fixture.management.workOnJobs()
        let job = try #require(await fixture.management.store.job(asked.id))
        #expect(job.state == .done && job.result?["inGroup"] == .integer(1))
        let entries = try await fixture.management.auditEntries(
            AuditFilter(action: .addDeviceToGroup), PageRequest()
        ).items
        #expect(entries.map(\.actor) == ["administrator:admin/program"])
    }

    /// Who asked and may only look by now is not obeyed any more.
    @Test func whatSomebodyMayDoIsJudgedWhenItIsDone() async throws {
        try await fixture.administrate()
        try await fixture.enrol("D1")
        let management = try fixture.management
        try await fixture.hire("ben")
        let asked = try #require(await add(["D1"], author: "ben").value)
        _ = try #require(await management.setRights(of: "ben", to: Rights(role: .helpDesk), author: "admin").value)
        try await management.workOnJobs()
        let job = try #require(await management.store.job(asked.id))
        #expect(job.state == .failed && job.problem == "The administrator who asked for it may no longer do so.")
        #expect(try await management.device("D1")?.groups.contains("pilots") == false)
    }

    /// A part that fails ends its job and no other; what is told of it is the kind of fault and nothing of what was read.
    @Test(.timeLimit(.minutes(10))) func aFaultEndsTheJobThatHasIt() async throws {
        try await fixture.administrate()
        let broken = try #require(await add(["a"]).value)
        let other = try #require(await add(["b"]).value)
        let generation = try fixture.management.generation
        _ = try await fixture.management.store.takeJobs(by: generation, now: Fixture.start)
        try await fixture.betweenServers { db in
            try db.execute(
                sql: "UPDATE job SET place = ? WHERE id = ?", arguments: [Data(#"{"planted": 1}"#.utf8), broken.id])
        }
        try await fixture.management.workOnJobs()
        let failed = try #require(await fixture.management.store.job(broken.id))
        #expect(failed.state == .failed && failed.problem == "It ended with a fault of the server (DecodingError).")
        #expect(try await fixture.management.store.job(other.id)?.state == .done)
    }

    /// What has ended stays as it is, and nobody is on record for having ended it.
    @Test func anEndIsOnTheRecordOnce() async throws {
        try await fixture.administrate()
        let session = Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all)
        let (cancelled, done) = (try #require(await add(["a"]).value), try #require(await add(["b"]).value))
        let management = try fixture.management
        for _ in 0..<2 { #expect(try await management.cancelJob(cancelled.id, by: session) == nil) }
        try await management.workOnJobs()
        #expect(try await management.cancelJob(done.id, by: session) == nil)
        let entries = try await management.auditEntries(AuditFilter(action: .cancelJob), PageRequest()).items
        #expect(entries.map(\.subject) == [cancelled.id])
        #expect(try await management.store.job(done.id)?.state == .done)
    }

    /// A group whose devices a rule chooses takes none from a list.
    @Test func aListIsNotForAGroupWithARule() async throws {
        try await fixture.administrate()
        let rule = try GroupRule(parsing: "os-version >= 13")
        _ = try #require(await fixture.management.createGroup(named: "ruled", rule: rule, author: "admin").value)
        let refused = try await fixture.management.startAddingDevices(
            ["a"], toGroup: "ruled", isForced: false, author: "admin")
        #expect(refused.refusal == .groupHasRule)
    }

    /// A device whose app refuses what the group gives comes to it where that was forced, and not where it was not.
    @Test(arguments: [true, false]) func whatIsForcedIsForcedForEachDevice(isForced: Bool) async throws {
        try await fixture.administrate()
        let (management, app) = (try fixture.management, "com.example.app")
        _ = try await management.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), author: "admin")
        let text = #"""
            {"x-app": {"bundleIdentifier": "\#(app)"},
             "properties": {"minutes": {"type": "integer", "maximum": 30}}}
            """#
        _ = try #require(
            await management.putSpecification(Data(text.utf8), of: app, version: "1.0", author: "admin").value)
        try await fixture.enrol()
        var report = StatusReport(fullReport: true)
        report.set(.array([AppStatus(identifier: app, shortVersion: "1.0").value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        let bytes = PropertyListValue.dictionary(["minutes": .integer(60)]).xml()
        _ = try #require(
            await management.putConfiguration(
                app: app, name: "main", bytes: bytes, expected: .any, isForced: true, author: "admin"
            ).value)
        _ = try #require(
            await management.assign(app: app, configuration: "main", to: "pilots", isForced: true, author: "admin")
                .value)
        let asked = try #require(await add(["D1"], isForced: isForced).value)
        try await management.workOnJobs()
        let job = try #require(await management.store.job(asked.id))
        #expect(job.result?["inGroup"] == .integer(isForced ? 1 : 0))
        #expect(job.result?["refused"] == .integer(isForced ? 0 : 1))
        #expect(try await management.device("D1")?.groups.contains("pilots") == isForced)
    }
}
