import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Testing

@testable import Management

/// The job that queues a command for every device of a group, on a real store; no test waits for its pace.
struct GroupCommandJobTests {
    /// Six parts in the quick suite, ten thousand devices where `make soak` says so.
    private static let count = ProcessInfo.processInfo.environment["MARTLET_QUEUED_COMMANDS"].flatMap(Int.init) ?? 300

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Devices `d0`, `d1` … of the group `pilots`.
    private func insert(_ count: Int, ownership: String = "organization", from first: Int = 0) async throws {
        try await fixture.betweenServers { db in
            for number in first..<(first + count) {
                var fingerprint = Data("\(number)".utf8)
                fingerprint.append(Data(repeating: 0xFF, count: max(0, 32 - fingerprint.count)))
                try db.execute(
                    sql: """
                        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                            VALUES (?, 'device', 'enrolled', ?, 1, ?, 1, '{}', 1)
                        """, arguments: ["d\(number)", ownership, fingerprint])
                try db.execute(
                    sql: "INSERT INTO enrollment_group (enrollment, group_name) VALUES (?, 'pilots')",
                    arguments: ["d\(number)"])
            }
        }
    }

    private func start(
        _ type: String = "ProfileList", group: String = "pilots", perSecond: Int? = nil, author: String = "admin"
    ) async throws -> Outcome<Job, AdminRefusal> {
        try await fixture.management.startGroupCommand(
            .dictionary(["RequestType": .string(type)]), toGroup: group, perSecond: perSecond, author: author)
    }

    private func job(_ id: String) async throws -> Job { try #require(await fixture.management.store.job(id)) }

    /// The job as this run of the server has it.
    private func taken(_ id: String) async throws -> Job {
        let management = try fixture.management
        let jobs = try await management.store.takeJobs(by: management.generation, now: management.moment)
        return try #require(jobs.first { $0.id == id })
    }

    private func commands(of device: String) async throws -> [QueuedCommand] {
        let outcome = try await fixture.management.commands(of: device, PageRequest(limit: PageRequest.largest))
        return try #require(outcome.value).items
    }

    /// So many devices of the store have a command, and none has two.
    private func expectOneEach(_ count: Int) async throws {
        try await fixture.betweenServers { db in
            let all = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM command WHERE request_type = 'ProfileList'")
            let devices = try Int.fetchOne(
                db, sql: "SELECT COUNT(DISTINCT enrollment) FROM command WHERE request_type = 'ProfileList'")
            #expect(all == count && devices == count)
        }
    }

    // MARK: Pace

    @Test func aJobGoesOnNoFasterThanItMay() async throws {
        try await fixture.administrate()
        try await insert(45)
        let management = try fixture.management
        let asked = try #require(await start(perSecond: 20).value)
        #expect(try await management.workOnJobs() == Duration.seconds(1))
        #expect(try await job(asked.id).progress == JobProgress(done: 20, total: 45))
        fixture.advance(0.5)
        #expect(try await management.workOnJobs() == Duration.seconds(0.5))
        #expect(try await job(asked.id).progress.done == 20, "it is too early")
        fixture.advance(0.5)
        #expect(try await management.workOnJobs() == Duration.seconds(1))
        #expect(try await job(asked.id).progress.done == 40)
        fixture.advance(1)
        #expect(try await management.workOnJobs() == nil)
        let ended = try await job(asked.id)
        #expect(ended.state == .done && ended.progress == JobProgress(done: 45, total: 45))
        #expect(ended.result?["queued"] == .integer(45) && ended.result?["refused"] == .integer(0))
        try await expectOneEach(45)
    }

    /// While it waits, others go on.
    @Test func aJobThatWaitsHoldsUpNoOther() async throws {
        try await fixture.administrate()
        try await insert(3)
        let management = try fixture.management
        let slow = try #require(await start(perSecond: 1).value)
        let other = try #require(await management.startAuditVerification(author: "admin").value)
        #expect(try await management.workOnJobs() == Duration.seconds(1))
        #expect(try await job(other.id).state == .done)
        #expect(try await job(slow.id).state == .running)
    }

    // MARK: Once for each

    /// A part whose place was never kept is done again, and queues nothing twice.
    @Test func everyDeviceGetsItOnceThroughARestartInTheMiddle() async throws {
        let count = Self.count
        try await fixture.administrate()
        try await insert(count)
        let asked = try #require(await start(perSecond: 1_000).value)
        for _ in 0..<(count / GroupCommand.mostOfPart / 2) {
            #expect(try await fixture.management.workOnJobs() != nil)
            fixture.advance(1)
        }
        let before = try await taken(asked.id)
        #expect(before.progress.done == count / GroupCommand.mostOfPart / 2 * GroupCommand.mostOfPart)
        // The server ends when the commands are queued, and before it is written down how far the job is.
        guard case .part = try await fixture.management.queuePart(of: before) else {
            Issue.record("the job was to be in its middle")
            return
        }
        try fixture.restart()
        for _ in 0...(count / GroupCommand.mostOfPart) {
            guard try await fixture.management.workOnJobs() != nil else { break }
            fixture.advance(1)
        }
        let ended = try await job(asked.id)
        #expect(ended.state == .done && ended.resumed == 1)
        #expect(ended.result?["queued"] == .integer(Int64(count)) && ended.result?["refused"] == .integer(0))
        try await expectOneEach(count)
    }

    @Test func theSamePartDoneEightTimesAtOnceQueuesOneForEach() async throws {
        try await fixture.administrate()
        try await insert(20)
        let asked = try #require(await start().value)
        let (management, job) = (try fixture.management, try await taken(asked.id))
        try await withThrowingTaskGroup(of: JobStep.self) { group in
            for _ in 0..<8 { group.addTask { try await management.queuePart(of: job) } }
            for try await step in group {
                guard case .done(let progress, _) = step else {
                    Issue.record("a part was not the last")
                    continue
                }
                #expect(progress.done == 20)
            }
        }
        try await expectOneEach(20)
    }

    /// Several at once for the same device: each arrives, in the order of whoever queued it, and the same one once.
    @Test func nothingIsLostThatEightQueueForOneDeviceAtOnce() async throws {
        try await fixture.administrate()
        try await insert(1)
        let store = try fixture.management.store
        let document = try Command(uuid: "U", request: .dictionary(["RequestType": .string("ProfileList")])).encoded()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        let command = QueuedCommand(
                            uuid: "\(writer)-\(number)", requestType: "ProfileList", document: document,
                            state: .queued, deferred: false, author: "admin", created: Fixture.start, sent: nil,
                            finished: nil, result: nil, resultTooLarge: false)
                        let twice = [(device: "d0", command: command), (device: "d0", command: command)]
                        let refusals = try await store.enqueue(twice, by: .administrator("admin"))
                        #expect(refusals == [nil, nil])
                    }
                }
            }
            try await group.waitForAll()
        }
        let uuids = try await commands(of: "d0").map(\.uuid)
        #expect(uuids.count == 80 && Set(uuids).count == 80)
        for writer in 0..<8 {
            #expect(uuids.filter { $0.hasPrefix("\(writer)-") } == (0..<10).map { "\(writer)-\($0)" })
        }
    }

    // MARK: What is refused

    @Test func whoIsRefusedIsCountedAndTheOthersGetIt() async throws {
        try await fixture.administrate()
        try await insert(12, ownership: "personal")
        try await insert(3, from: 50)
        let asked = try #require(await start("RestartDevice").value)
        #expect(try await fixture.management.workOnJobs() == nil)
        let ended = try await job(asked.id)
        #expect(ended.result?["queued"] == .integer(3) && ended.result?["refused"] == .integer(12))
        #expect(ended.result?["refusals"]?.array?.count == GroupCommand.mostTold)
        #expect(try await commands(of: "d50").map(\.requestType) == ["RestartDevice"])
        #expect(try await commands(of: "d0").isEmpty)
    }

    @Test func whatCannotBeDoneIsRefusedAtOnce() async throws {
        try await fixture.administrate()
        #expect(try await start(group: "none").refusal == .unknownGroup)
        #expect(try await start("").refusal != nil)
        #expect(try await start(perSecond: 0).refusal != nil)
        let trial = try await start(TryConfiguration.requestType).refusal
        #expect(trial?.reason.contains("configuration-trials") == true, "a trial is for one device")
        let command = PropertyListValue.dictionary(["RequestType": .string("RemoveApplication")])
        let malformed = try await fixture.management.startGroupCommand(
            command, toGroup: "pilots", perSecond: nil, author: "admin")
        #expect(malformed.refusal != nil, "a command about apps is read before it is queued")
    }

    @Test func aGroupWithoutDevicesIsDoneAtOnceAndOneThatWentFails() async throws {
        try await fixture.administrate()
        let management = try fixture.management
        let empty = try #require(await start().value)
        try await management.workOnJobs()
        #expect(try await job(empty.id).state == .done)
        let asked = try #require(await start().value)
        #expect(try await management.removeGroup(named: "pilots", author: "admin") == nil)
        try await management.workOnJobs()
        let ended = try await job(asked.id)
        #expect(ended.state == .failed && ended.problem?.hasPrefix("The group was removed.") == true)
    }

    // MARK: Whose it is

    @Test func aCancelledJobQueuesNothingMore() async throws {
        try await fixture.administrate()
        try await insert(30)
        let management = try fixture.management
        let asked = try #require(await start(perSecond: 10).value)
        try await management.workOnJobs()
        let session = Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all)
        #expect(try await management.cancelJob(asked.id, by: session) == nil)
        fixture.advance(9)
        #expect(try await management.workOnJobs() == nil)
        let ended = try await job(asked.id)
        #expect(ended.state == .cancelled && ended.progress.done == 10)
        try await expectOneEach(10)
    }

    /// Who helps devices may ask them and not erase them, also between two parts, and may end what they began.
    @Test func whatSomebodyMayDoIsJudgedByTheCommand() async throws {
        try await fixture.administrate()
        try await insert(3)
        let management = try fixture.management
        let rights = Rights(role: .helpDesk)
        try await fixture.hire("helper", rights)
        let helper = Session(
            administrator: "helper", expires: .distantFuture, mustChangePassword: false, rights: rights)
        let erasing = try #require(await start("EraseDevice", author: "helper").value)
        let asking = try #require(await start(perSecond: 1, author: "helper").value)
        try await management.workOnJobs()
        #expect(try await job(erasing.id).state == .failed)
        #expect(try await job(asking.id).progress.done == 1)
        #expect(try await management.cancelJob(asking.id, by: helper) == nil)
        #expect(try await job(asking.id).state == .cancelled)
        try await expectOneEach(1)
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .queueCommand), PageRequest()).items
        #expect(entries.map(\.actor) == ["administrator:helper"])
    }
}
