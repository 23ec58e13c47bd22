import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Feedback that a device answers to ManagedApplicationFeedback and deletes is kept, once.
struct AnsweredFeedbackTests {
    private static let app = "com.example.app"

    private static func element(
        _ feedback: PropertyListValue, life: String? = nil, app: String = app
    ) -> PropertyListValue {
        var entries: [String: PropertyListValue] = ["Identifier": .string(app), "Feedback": feedback]
        entries["MartletLife"] = life.map { .string($0) }
        return .dictionary(entries)
    }

    private static func answer(_ elements: [PropertyListValue]) -> PropertyListValue {
        .dictionary(["ManagedApplicationFeedback": .array(elements)])
    }

    private static func count(_ number: Int64) -> PropertyListValue {
        .dictionary(["failureCount": .integer(number)])
    }

    private static func command(_ query: AppQuery) throws -> QueuedCommand {
        QueuedCommand(
            uuid: "U", requestType: query.kind.rawValue,
            document: try Command(uuid: "U", request: query.request).encoded(), state: .sent, deferred: false,
            author: "admin", created: Fixture.start, sent: Fixture.start, finished: nil, result: nil,
            resultTooLarge: false)
    }

    private static func lives(
        _ elements: [PropertyListValue], deletes: Bool = true
    ) throws -> [AppFeedbackStatus] {
        let query = AppQuery(.feedback, identifiers: [app], deletesFeedback: deletes)
        return AnsweredFeedback(
            in: answer(elements), to: try command(query), at: Fixture.start + 60
        ).lives
    }

    // MARK: The rule

    @Test func onlyWhatTheDeviceDeletesIsKept() throws {
        #expect(try Self.lives([Self.element(Self.count(1))]).count == 1)
        #expect(try Self.lives([Self.element(Self.count(1), life: "a")], deletes: false).isEmpty)
        let list = try Self.command(AppQuery(.list))
        let answer = Self.answer([Self.element(Self.count(1), life: "a")])
        #expect(AnsweredFeedback(in: answer, to: list, at: Fixture.start).lives.isEmpty)
    }

    /// Our agent names its lives; of other devices each answer is one, named after the command.
    @Test func eachLifeHasAName() throws {
        let elements = [
            Self.element(Self.count(1), life: "a"), Self.element(Self.count(2)),
            Self.element(Self.count(3), app: "com.example.other"),
        ]
        #expect(try Self.lives(elements).map(\.life) == ["a", "U.2", "U.3"])
        #expect(try Self.lives(elements) == Self.lives(elements))
    }

    @Test func whatTheDeviceSaysOfItsTimeIsTakenWithinBounds() throws {
        var entries = Self.element(Self.count(1), life: "a").dictionary ?? [:]
        entries["MartletFrom"] = .date(Fixture.start + 10.5)
        entries["MartletTo"] = .date(Fixture.start + 1_000)
        entries["MartletConfiguration"] = .string("ff00")
        entries["MartletRefused"] = .integer(2)
        let life = try #require(try Self.lives([.dictionary(entries)]).first)
        #expect(life.from == Fixture.start + 10 && life.to == Fixture.start + 60)
        #expect(life.configuration == "ff00" && life.refused == 2)
        let plain = try #require(try Self.lives([Self.element(Self.count(1))]).first)
        #expect(plain.from == Fixture.start && plain.to == Fixture.start + 60)
    }

    /// What is more than feedback may be stays in the answer alone; its form does not make it more.
    @Test func theBoundsAreThoseOfAllFeedback() throws {
        var many: [String: PropertyListValue] = [:]
        for number in 0..<800 { many["k\(number)"] = .integer(1) }
        let life = try #require(try Self.lives([Self.element(.dictionary(many))]).first)
        #expect(PropertyListValue.dictionary(many).xml().count > AppFeedbackStatus.limits.bytes)
        #expect(life.feedback.count <= AppFeedbackStatus.limits.bytes)
        #expect(try AppFeedbackStatus.dictionary(life.feedback) == many)
        var deep = PropertyListValue.integer(1)
        for _ in 0..<9 { deep = .array([deep]) }
        let left: [PropertyListValue] = [
            .string("x"), .dictionary(["deep": deep]), .dictionary(["data": .data(Data(count: 20_000))]),
        ]
        #expect(try Self.lives(left.map { Self.element($0) }).isEmpty)
        #expect(try Self.lives([.string("x"), .dictionary(["Identifier": .string(Self.app)])]).isEmpty)
    }

    // MARK: On a store

    private static func sum(_ fixture: Fixture) async throws -> Double? {
        let since = Date(timeIntervalSince1970: 0)
        return try await fixture.management.feedbackTotals(of: app, since: since).value?.totals.first?.sum
    }

    private static func report(_ uuid: String, _ elements: [PropertyListValue], _ fixture: Fixture) async throws {
        let report = CommandReport(
            identifier: Fixture.identifier("D1"), status: .acknowledged, commandUUID: uuid,
            contents: answer(elements))
        _ = try await fixture.management.exchange(report, signer: Fixture.signer)
    }

    /// The answer again, and the same life by status, add nothing.
    @Test func anAnswerIsKeptOnce() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        let query = AppQuery(.feedback, identifiers: [Self.app], deletesFeedback: true)
        let queued = try await fixture.management.enqueue(query.request, for: "D1", author: "admin")
        let uuid = try #require(queued.value?.uuid)
        #expect(try await fixture.command(.idle)?.uuid == uuid)
        for _ in 0..<2 {
            try await Self.report(
                uuid, [Self.element(Self.count(3), life: "a"), Self.element(Self.count(1))], fixture)
        }
        #expect(try await Self.sum(fixture) == 4)
        let again = AppFeedbackStatus(
            life: "a", app: Self.app, feedback: Self.count(3).xml(), from: Fixture.start, to: Fixture.start)
        var status = StatusReport()
        status.set(.array([again.value]), at: AppFeedbackStatus.name)
        #expect(try await fixture.ask(.status, data: status.encoded()) == .done)
        #expect(try await Self.sum(fixture) == 4)
        let kept = try await fixture.management.feedback(FeedbackFilter(device: "D1"), PageRequest())
        #expect(kept.value?.items.map(\.status.life) == ["\(uuid).2", "a"])
    }

    /// A command that was taken back after it was sent may have been carried out.
    ///
    /// Of an answer to none nothing is kept: a device names lives that go on, too.
    @Test func aLateAnswerIsKeptAndOneToNoCommandIsNot() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        let query = AppQuery(.feedback, identifiers: [Self.app], deletesFeedback: true)
        let queued = try await fixture.management.enqueue(query.request, for: "D1", author: "admin")
        let uuid = try #require(queued.value?.uuid)
        #expect(try await fixture.command(.idle)?.uuid == uuid)
        #expect(try await fixture.management.removeCommand(uuid, of: "D1", author: "admin") == nil)
        try await Self.report(uuid, [Self.element(Self.count(3))], fixture)
        #expect(try await Self.sum(fixture) == 3)
        try await Self.report("FORGOTTEN", [Self.element(Self.count(4), life: "b")], fixture)
        #expect(try await Self.sum(fixture) == 3)
    }

    /// Red where the feedback of an app that no table knows is deleted on the device and kept nowhere.
    @Test func feedbackOfAnUnknownAppIsNotDeleted() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        for (deletes, isSent) in [(true, false), (false, true)] {
            let query = AppQuery(.feedback, identifiers: ["com.example.unknown"], deletesFeedback: deletes)
            let sent = try await fixture.management.enqueue(query.request, for: "D1", author: "admin")
            #expect((sent.value != nil) == isSent)
            #expect(sent.refusal?.reason.contains("DeleteFeedback") ?? true)
        }
    }
}
