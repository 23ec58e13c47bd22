import DeviceMessages
import Foundation
import InputBounds
import Management
import TestInputs
import Testing

/// A device's command queue, judged by a model: on the real rules and a real store, whatever is lost between the two sides.
///
/// Eight courses of 120 steps in the quick suite; `make soak` plays 300.
@Suite(.timeLimit(.minutes(60)))
struct CommandCourseTests {
    static let seeds = CourseSeeds.commands(usually: 8)

    /// None is lost, none takes effect twice, those never put off keep their order, each first answer is kept, and what a
    /// device cannot do for now holds nothing up.
    @Test(arguments: CommandCourseTests.seeds)
    func noCourseOfEventsBreaksAPromiseOfTheQueue(seed: UInt64) async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        var course = CommandCourse(fixture, seed: seed)
        try await course.run(steps: 120)
    }

    /// In one connection everything behind them is done, and they are kept.
    @Test func aHeadThatIsPutOffForeverOrThatNobodyCanCarryOutHoldsNothingUp() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        var course = CommandCourse(fixture, seed: 0)
        let heads: [PlayedCommandDevice.Manner] = [.putsOffForever, .refuses, .cannotRead, .putsOffForever]
        for manner in heads { try await course.queue(manner) }
        for _ in 0..<20 { try await course.queue(.carriesOut) }
        try await course.connect()
        #expect(course.waiting == [0, 3])
        try await course.connect()
        #expect(course.waiting == [0, 3])
    }

    /// A device cannot say which command it was that it could not read: it was given it again and again, and nothing after it.
    ///
    /// Red while a command was queued that is nested more deeply, or has more values, than a message may.
    @Test func aCommandThatNoDeviceCouldReadIsNotQueued() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        var deep = PropertyListValue.string("x")
        for _ in 0..<InputLimits.message.depth { deep = .array([deep]) }
        let request = PropertyListValue.dictionary(["RequestType": .string("ProfileList"), "Deep": deep])
        let refusal = try await management.enqueue(request, for: "D1", author: "admin").refusal
        #expect(refusal?.kind == .invalid)
        let forGroup = try await management.startGroupCommand(request, toGroup: "all", perSecond: nil, author: "admin")
        #expect(forGroup.refusal?.kind == .invalid)
        let page = PageRequest(limit: 10)
        #expect(try await management.commands(of: "D1", page).value?.items.isEmpty == true)
    }

    // MARK: The model itself

    private static func report(_ status: CommandStatus, _ uuid: String? = nil) -> CommandReport {
        CommandReport(identifier: Fixture.identifier("D1"), status: status, commandUUID: uuid)
    }

    private static func model(_ uuids: String...) -> CommandModel {
        var model = CommandModel()
        for uuid in uuids { model.queue(uuid) }
        return model
    }

    /// The model sees each of the faults that the courses look for.
    @Test func aQueueThatLosesRepeatsOrChangesPlacesIsFound() {
        let start = Fixture.start
        var model = Self.model("a", "b")
        #expect(model.judge("b", after: Self.report(.idle)) != nil, "a later one first")
        #expect(model.judge(nil, after: Self.report(.idle)) != nil, "nothing although two wait")
        #expect(model.judge("c", after: Self.report(.idle)) != nil, "one that nobody queued")
        #expect(model.judge("a", after: Self.report(.idle)) == nil)
        model.hear(Self.report(.notNow, "a"), now: start)
        #expect(model.judge(nil, after: Self.report(.notNow, "a")) != nil, "the head holds the other up")
        #expect(model.judge("b", after: Self.report(.notNow, "a")) == nil)
        model.hear(Self.report(.error, "b"), now: start)
        #expect(model.judge("b", after: Self.report(.error, "b")) != nil, "a finished one again")
        #expect(model.judge("a", after: Self.report(.error, "b")) == nil)
        model.remove("a")
        #expect(model.judge("a", after: Self.report(.idle)) != nil, "one that was taken back")
        #expect(model.judge(nil, after: Self.report(.idle)) == nil)
        #expect(model.entries[0].difference(from: nil) != nil, "a retired one is lost")
    }
}
