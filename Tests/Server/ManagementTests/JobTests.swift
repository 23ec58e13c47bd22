import Foundation
import GRDB
import InputBounds
import Testing

@testable import Management

/// Long work as a value, and what it does on a real store.
struct JobTests {
    private let fixture: Fixture
    private static let start = Fixture.start

    init() throws { fixture = try Fixture() }

    private func made(_ state: Job.State = .waiting) -> Job {
        var job = Job(id: "j", kind: .auditVerification, author: "admin", created: Self.start, request: .object([:]))
        if state != .waiting { job.take(by: "one", now: Self.start) }
        return job
    }

    static let aPart: JobStep = .part(JobProgress(done: 1, total: 2), place: Data([1]))

    // MARK: The machine

    @Test func onlyTheRunThatHasItMovesIt() {
        var job = made(.running)
        job.finish(Self.aPart, by: "other", now: Self.start)
        #expect(job.progress.done == 0 && job.place == nil)
        job.finish(Self.aPart, by: "one", now: Self.start)
        #expect(job.progress.done == 1 && job.place == Data([1]) && job.state == .running)
        job.take(by: "two", now: Self.start + 9)
        #expect(job.resumed == 1 && job.place == Data([1]) && job.started == Self.start)
        job.finish(.done(JobProgress(done: 2, total: 2), result: .null), by: "one", now: Self.start)
        #expect(job.state == .running, "the run before is too late")
        job.finish(.done(JobProgress(done: 2, total: 2), result: .null), by: "two", now: Self.start + 10)
        #expect(job.state == .done && job.ended == Self.start + 10 && job.place == nil)
    }

    @Test(arguments: [JobStep.failed("no"), JobStep.done(JobProgress(), result: .null), JobTests.aPart])
    func whatHasEndedStaysAsItIs(step: JobStep) {
        var job = made(.running)
        job.cancel(now: Self.start + 1)
        let ended = job
        job.finish(step, by: "one", now: Self.start + 2)
        job.take(by: "two", now: Self.start + 2)
        job.cancel(now: Self.start + 2)
        #expect(job == ended && job.state == .cancelled)
    }

    @Test func aPartThatEndsTheServerAgainAndAgainIsGivenUp() {
        var job = made(.running)
        job.take(by: "two", now: Self.start)
        job.finish(Self.aPart, by: "two", now: Self.start)
        for run in ["three", "four"] { job.take(by: run, now: Self.start) }
        #expect(job.state == .running)
        job.take(by: "five", now: Self.start + 5)
        #expect(job.state == .failed && job.ended == Self.start + 5 && job.problem != nil)
    }

    // MARK: The audit log

    /// It reads the whole log for everybody: twenty of them would keep every other job out.
    @Test func oneVerificationOfTheAuditLogIsOpenAtATime() async throws {
        let management = try fixture.management
        try await fixture.hire("admin")
        let first = try #require(await management.startAuditVerification(author: "admin").value)
        #expect(try await management.startAuditVerification(author: "admin").refusal == .tooManyWaiting(limit: 1))
        _ = try await management.store.cancelJob(first.id, of: nil, author: "admin", now: management.moment)
        #expect(try await management.startAuditVerification(author: "admin").value != nil)
    }

    /// With whoever asks for it: one entry and so many.
    private func grow(_ count: Int) async throws {
        try await fixture.hire("admin")
        let table = "userName\n" + (1...count).map { "p\($0)" }.joined(separator: "\n")
        _ = try #require(
            await fixture.management.importPeople(Data(table.utf8), dryRun: false, author: "admin").value)
    }

    private func verified(_ work: (String) async throws -> Void) async throws -> Job {
        let job = try #require(await fixture.management.startAuditVerification(author: "admin").value)
        try await work(job.id)
        return try #require(await fixture.management.store.job(job.id))
    }

    /// One part of the job, as the run of this server.
    private func part(_ id: String) async throws {
        let management = try fixture.management
        let generation = management.generation
        let taken = try await management.store.takeJobs(by: generation, now: management.moment)
        let job = try #require(taken.first { $0.id == id })
        _ = try await management.store.finish(
            management.verifyPart(of: job), of: id, by: generation, now: management.moment)
    }

    @Test func aVerificationFindsWhatOneAtOnceFinds() async throws {
        try await grow(2_499)
        let job = try await verified { _ in try await fixture.management.workOnJobs() }
        let chain = try await fixture.management.verifyAudit()
        #expect(job.state == .done && job.result == chain.verification && job.resumed == 0)
        #expect(job.result?["intact"] == .boolean(true) && job.progress.done == chain.count)
    }

    @Test func aVerificationGoesOnWhereTheServerEnded() async throws {
        try await grow(2_499)
        let job = try await verified { id in
            try await part(id)
            try fixture.restart()
            let kept = try #require(await fixture.management.store.job(id))
            #expect(kept.state == .running && kept.progress.done == 1_000 && kept.progress.total == 2_500)
            try await part(id)
            let resumed = try #require(await fixture.management.store.job(id))
            #expect(resumed.progress.done == 2_000 && resumed.resumed == 1)
            try await fixture.management.workOnJobs()
        }
        #expect(job.state == .done && job.result?["entries"] == .integer(2_500))
    }

    @Test func anEntryThatWasChangedIsFoundAlsoBehindAnInterruption() async throws {
        try await grow(2_499)
        let job = try await verified { id in
            try await part(id)
            try await fixture.betweenServers { db in
                try db.execute(
                    sql: """
                        DROP TRIGGER audit_is_not_changed; UPDATE audit SET subject = 'x' WHERE sequence = 1500
                        """)
            }
            try await fixture.management.workOnJobs()
        }
        #expect(job.result?["intact"] == .boolean(false) && job.result?["brokenAt"] == .integer(1_500))
    }

    @Test func entriesThatHadTheirTimeMeanwhileDoNotBreakTheChain() async throws {
        try await grow(2_499)
        let job = try await verified { id in
            try await part(id)
            fixture.advance(3 * 365 * 24 * 3_600 + 2 * 24 * 3_600)
            try await fixture.management.maintain()
            try await fixture.management.workOnJobs()
        }
        #expect(job.result?["intact"] == .boolean(true) && job.result?["first"] == .integer(2_501))
    }

    @Test func aCancelledJobIsWorkedOnNoMore() async throws {
        try await grow(2_499)
        let session = Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all)
        let job = try await verified { id in
            try await part(id)
            #expect(try await fixture.management.cancelJob(id, by: session) == nil)
            try await fixture.management.workOnJobs()
        }
        #expect(job.state == .cancelled && job.progress.done == 1_000 && job.result == nil)
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .cancelJob), PageRequest()).items
        #expect(entries.map(\.subject) == [job.id])
        #expect(try await fixture.management.cancelJob("nothing", by: session) == .unknownJob)
    }

    // MARK: Many devices for a group

    private func add(_ devices: [String], author: String = "admin") async throws -> Outcome<Job, AdminRefusal> {
        try await fixture.management.startAddingDevices(devices, toGroup: "pilots", isForced: false, author: author)
    }

    @Test func devicesOfAListAreInTheGroupAndOthersAreToldWithTheirReason() async throws {
        try await fixture.administrate()
        for number in 1...3 {
            try await fixture.enrol("D\(number)", signer: Data(repeating: UInt8(number), count: 32))
        }
        #expect(try await fixture.management.withdraw("D3", author: "admin") == nil)
        let asked = try #require(await add(["D1", "nobody", "D2", "D3"]).value)
        try await fixture.management.workOnJobs()
        let job = try #require(await fixture.management.store.job(asked.id))
        #expect(job.state == .done && job.progress == JobProgress(done: 4, total: 4))
        #expect(job.result?["inGroup"] == .integer(2) && job.result?["refused"] == .integer(2))
        #expect(job.result?["refusals"]?.array?.compactMap { $0["device"]?.string } == ["nobody", "D3"])
        for device in ["D1", "D2"] {
            #expect(try await fixture.management.device(device)?.groups.contains("pilots") == true)
        }
        let entries = try await fixture.management.auditEntries(
            AuditFilter(actor: "administrator:admin", action: .addDeviceToGroup), PageRequest()
        ).items
        #expect(entries.count == 2)
        // Done again, nothing is done.
        _ = try #require(await add(["D1", "D2"]).value)
        try await fixture.management.workOnJobs()
        let later = try await fixture.management.auditEntries(
            AuditFilter(action: .addDeviceToGroup), PageRequest()
        ).items
        #expect(later.count == 2)
    }

    @Test func aListGoesOnWhereTheServerEnded() async throws {
        try await fixture.administrate()
        try await fixture.enrol("D1")
        let list = (1...120).map { "nobody\($0)" } + ["D1"]
        let asked = try #require(await add(list).value)
        let management = try fixture.management
        let taken = try await management.store.takeJobs(by: management.generation, now: management.moment)
        _ = try await management.store.finish(
            management.addPart(of: try #require(taken.first)), of: asked.id, by: management.generation,
            now: management.moment)
        try fixture.restart()
        #expect(try await fixture.management.store.job(asked.id)?.progress == JobProgress(done: 50, total: 121))
        try await fixture.management.workOnJobs()
        let job = try #require(await fixture.management.store.job(asked.id))
        #expect(job.resumed == 1 && job.result?["inGroup"] == .integer(1) && job.result?["refused"] == .integer(120))
        #expect(job.result?["refusals"]?.array?.count == 100)
    }

    @Test func whoMayNoLongerDoItHasItDoneNoMore() async throws {
        try await fixture.administrate()
        try await fixture.enrol("D1")
        let asked = try #require(await add(["D1"], author: "somebody/token").value)
        try await fixture.management.workOnJobs()
        let job = try #require(await fixture.management.store.job(asked.id))
        #expect(job.state == .failed && job.problem == "The administrator who asked for it may no longer do so.")
        #expect(try await fixture.management.device("D1")?.groups.contains("pilots") == false)
    }

    /// However a token ends, and whatever becomes of its administrator: what it asked for ends with it, between two parts.
    @Test(arguments: TokenEnd.allCases)
    func whatATokenAskedForEndsWithIt(end: TokenEnd) async throws {
        try await fixture.administrate()
        let management = try fixture.management
        let session = Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false)
        try await fixture.hire("other")
        let made = try #require(
            await management.createToken(named: "ci", scope: TokenScope(rights: .all), validSeconds: 60, of: session)
                .value)
        let list = (1...120).map { "nobody\($0)" }
        let asked = try #require(await add(list, author: "admin/ci").value)
        func part() async throws -> Job {
            let job = try #require(
                await management.store.takeJobs(by: management.generation, now: management.moment).first)
            return try #require(
                await management.store.finish(
                    management.step(of: job), of: job.id, by: management.generation, now: management.moment))
        }
        #expect(try await part().progress.done == 50)
        switch end {
        case .time: fixture.advance(60)
        case .revocation: #expect(try await management.revokeToken(id: made.token.id, by: session) == nil)
        case .replacement:
            #expect(try await management.revokeToken(id: made.token.id, by: session) == nil)
            fixture.advance(1)
            _ = try #require(
                await management.createToken(
                    named: "ci", scope: TokenScope(rights: .all), validSeconds: 60, of: session
                ).value)
        case .role:
            _ = try #require(
                await management.setRights(of: "admin", to: Rights(role: .reader), author: "other").value)
        case .password: _ = try #require(await management.resetPassword(of: "admin", author: "other").value)
        }
        let job = try await part()
        #expect(job.id == asked.id && job.state == .failed && job.progress.done == 50)
        #expect(job.problem == "The administrator who asked for it may no longer do so.")
    }

    /// How what an API token may do ends.
    enum TokenEnd: CaseIterable { case time, revocation, replacement, role, password }

    /// Also a job that only reads: it reads no more for who may not.
    @Test func aVerificationEndsWithTheRoleOfItsAuthor() async throws {
        try await fixture.administrate()
        let management = try fixture.management
        try await fixture.hire("ann", Rights(role: .auditor))
        let first = try #require(await management.startAuditVerification(author: "ann").value)
        try await management.workOnJobs()
        #expect(try await management.store.job(first.id)?.state == .done)
        let second = try #require(await management.startAuditVerification(author: "ann").value)
        _ = try #require(await management.setRights(of: "ann", to: Rights(role: .reader), author: "admin").value)
        try await management.workOnJobs()
        #expect(try await management.store.job(second.id)?.state == .failed)
    }

    @Test func whatCannotBeDoneIsRefusedAtOnce() async throws {
        try await fixture.administrate()
        let management = try fixture.management
        for list in [[], ["a", "a"], [""], (0...5_000).map { "d\($0)" }] {
            #expect(try await add(list).refusal != nil)
        }
        #expect(
            try await management.startAddingDevices(["a"], toGroup: "none", isForced: false, author: "admin").refusal
                == .unknownGroup)
        for _ in 1...Job.mostOpen { _ = try #require(await add(["a"]).value) }
        #expect(try await add(["a"]).refusal == .tooManyWaiting(limit: Job.mostOpen))
        try await management.workOnJobs()
        #expect(try await add(["a"]).value != nil)
    }

    @Test func jobsAreSeenByTheirAuthorsAndByWhoMaySeeOthers() async throws {
        try await fixture.administrate()
        let management = try fixture.management
        let asked = try #require(await add(["a"]).value)
        func session(_ name: String, _ role: Role) -> Session {
            Session(
                administrator: name, expires: .distantFuture, mustChangePassword: false, rights: Rights(role: role))
        }
        #expect(try await management.job(asked.id, for: session("other", .reader)) == nil)
        #expect(try await management.jobs(for: session("other", .reader), PageRequest()).items.isEmpty)
        #expect(try await management.job(asked.id, for: session("other", .auditor)) != nil)
        #expect(try await management.job(asked.id, for: session("admin", .reader)) != nil)
        #expect(try await management.cancelJob(asked.id, by: session("other", .auditor)) == .unknownJob)
        fixture.advance(8 * 24 * 3_600)
        try await management.workOnJobs()
        fixture.advance(8 * 24 * 3_600)
        try await management.maintain()
        #expect(try await management.job(asked.id, for: session("admin", .administrator)) == nil)
    }
}
