import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// ManagedApplicationFeedback: the server gets an app's feedback once, by one way or the other.
@Suite(.timeLimit(.minutes(10)))
struct AppCommandFeedbackTests {
    private static let app = CommandedDevice.app
    private static let counts = PropertyListValue.dictionary(["n": .integer(1)])
    private static let query = AppQuery(.feedback, identifiers: [app]).request
    private static let deletion = AppQuery(.feedback, identifiers: [app], deletesFeedback: true).request
    /// One that the played server declares nothing of.
    private static let other = "com.example.commanded"
    private static let begun = Date(timeIntervalSince1970: 1_800_000_000)

    private static func life(_ name: String) -> AppFeedbackStatus {
        AppFeedbackStatus(
            life: name, app: app, feedback: counts.xml(), configuration: "c0", from: begun, to: begun + 60, refused: 3)
    }

    private func item(_ report: CommandReport) -> PropertyListValue? {
        report.contents["ManagedApplicationFeedback"]?.array?.first
    }

    private func isPending(_ device: inout CommandedDevice) throws -> Bool? {
        let list = try device.run(AppQuery(.list).request).contents["ManagedApplicationList"]
        return list?[Self.app]?["HasFeedback"]?.bool
    }

    @Test func theOldestLifeIsToldOnceAndTheNextAfterIt() throws {
        var device = CommandedDevice()
        try device.install()
        device.feedback[Self.app] = KnownFeedback(waiting: [Self.life("1"), Self.life("2")])
        let first = try item(device.run(Self.deletion))
        #expect(
            first
                == .dictionary([
                    "Identifier": .string(Self.app), "Feedback": Self.counts, "MartletLife": .string("1"),
                    "MartletConfiguration": .string("c0"), "MartletFrom": .date(Self.begun),
                    "MartletTo": .date(Self.begun + 60), "MartletRefused": .integer(3),
                ]))
        #expect(try isPending(&device) == true)
        #expect(try item(device.run(Self.deletion))?["MartletLife"] == .string("2"))
        #expect(try isPending(&device) == false)
        #expect(try item(device.run(Self.deletion)) == .dictionary(["Identifier": .string(Self.app)]))
        #expect(device.state.answeredLives == ["1", "2"])
    }

    /// The answer to FetchFeedback names the apps that have something to hand over.
    @Test func whichAppsHaveSomethingToHandOverIsSaid() throws {
        var device = CommandedDevice()
        device.declare()
        func named(_ app: String?) throws -> [String]? {
            try device.run(FetchFeedback(app: app).request).contents[FetchFeedback.apps]?.array?.compactMap(\.string)
        }
        #expect(try named(nil) == [] && named(Self.app) == [])
        device.feedback[Self.app] = KnownFeedback(present: Self.life("1"))
        // The answer does not name an app that is no longer managed.
        device.feedback[Self.other] = KnownFeedback(present: Self.life("2"))
        #expect(try named(nil) == [Self.app] && named(Self.app) == [Self.app] && named(Self.other) == [])
        device.feedback[Self.app] = KnownFeedback(waiting: [Self.life("3")])
        #expect(try named(nil) == [Self.app])
        device.state.answeredLives = ["3"]
        #expect(try named(nil) == [])
    }

    @Test func whatIsOnlyReadIsDeletedNowhere() throws {
        var device = CommandedDevice()
        try device.install()
        device.feedback[Self.app] = KnownFeedback(present: Self.life("1"))
        for _ in 0..<2 { #expect(try item(device.run(Self.query))?["MartletLife"] == .string("1")) }
        #expect(device.state.answeredLives.isEmpty)
    }

    /// A property list that is small in binary and huge in XML stays for the status report.
    @Test func whatDoesNotFitIntoAnAnswerStays() throws {
        var device = CommandedDevice()
        try device.install()
        let large = PropertyListValue.dictionary(["a": .array(Array(repeating: .integer(1), count: 14_000))])
        var life = Self.life("1")
        life.feedback = try PropertyListSerialization.data(
            fromPropertyList: ["a": Array(repeating: 1, count: 14_000)], format: .binary, options: 0)
        try #require(large.xml().count > 262_144)
        device.feedback[Self.app] = KnownFeedback(waiting: [life])
        #expect(try item(device.run(Self.deletion)) == .dictionary(["Identifier": .string(Self.app)]))
        #expect(device.state.answeredLives.isEmpty)
    }

    @Test func aServerThatWaitsDoesNotWaitForThePause() {
        var book = FeedbackBook()
        book.begin(Self.app, life: "1", at: Self.begun)
        let note = FeedbackNote(life: "1", sequence: 1, feedback: Self.counts.xml())
        _ = book.handOver(note, of: Self.app, configuration: "c", at: Self.begun, next: "2")
        _ = book.put(
            FeedbackNote(life: "2", sequence: 1, feedback: Self.counts.xml()), of: Self.app, configuration: "c")
        book.ask(Self.app, at: Self.begun + 1)
        #expect(book.due.isEmpty)
        let known = book.known(of: Self.app, at: Self.begun + 1)
        #expect(known.waiting.map(\.life) == ["1"] && known.present?.life == "2")
        book.ask(Self.app, isAwaited: true, at: Self.begun + 1)
        #expect(book.due == [Self.app])
    }

    // MARK: - A device in touch with its server

    /// Has the app write a note, or hand its present life over with it; names the life.
    private static func write(
        _ room: FeedbackRoom, of app: String = app, isHandOver: Bool = false
    ) async throws -> String {
        room.keep(only: [app])
        let life = room.life(of: app).life
        let note = FeedbackNote(life: life, sequence: 1, feedback: counts.xml())
        let result = await withCheckedContinuation {
            (done: CheckedContinuation<Result<FeedbackLife, VarlinkError>, Never>) in
            room.take(note, of: app, configuration: "", isHandOver: isHandOver, uptime: 0) {
                done.resume(returning: $0)
            }
        }
        _ = try result.get()
        return life
    }

    /// An app that does not run: the agent takes its newest note, tells it, and tells the same again to the same command.
    @Test func theAnswerToACommandIsTheSameHoweverOftenItComes() async throws {
        try await EnrolledDevice.run { fixture in
            let device = fixture.device
            let room = device.feedback
            try device.change { $0.commanded[Self.other] = CommandedApp() }
            room.hear(asked: { [device] in device.feedback.takeWithoutProcess(device.feedback.due) })
            let life = try await Self.write(room, of: Self.other)
            let query = AppQuery(.feedback, identifiers: [Self.other], deletesFeedback: true)
            let command = try Command(uuid: "F", request: query.request).encoded()
            for count in 1...2 {
                fixture.management.order(command)
                fixture.doorbell.ring(.commands)
                try await fixture.eventually("the command is answered") { fixture.answers(to: "F").count >= count }
            }
            let answers = fixture.answers(to: "F")
            #expect(answers.allSatisfy { $0 == answers.first })
            let report = try CommandReport(parsing: try #require(answers.first))
            #expect(item(report)?["MartletLife"] == .string(life) && item(report)?["Feedback"] == Self.counts)
            try await fixture.eventually("it is forgotten") {
                room.waiting.isEmpty && device.known.answeredLives.isEmpty
            }
            #expect(room.life(of: Self.other).life != life)
        }
    }

    /// An agent that ended between its two files: the answer tells the life, and no status report does.
    @Test func whatAnAnswerHasToldNoStatusReportTellsAfterACrash() async throws {
        try await EnrolledDevice.run { fixture in
            let device = fixture.device
            fixture.management.subscribe(to: AppFeedbackStatus.name)
            // The answer must not leave before both files are in their intermediate state.
            fixture.management.publish(2, fault: { $0 == "status" ? .reply(500) : nil })
            fixture.doorbell.ring(.look)
            try await fixture.eventually("feedback is subscribed to") {
                device.known.applied.subscriptions.contains(AppFeedbackStatus.name)
            }
            let room = device.feedback
            let life = try await Self.write(room, isHandOver: true)
            let next = try await Self.write(room, isHandOver: true)
            try device.change { $0.answeredLives = [life] }
            fixture.management.publish(2)
            fixture.doorbell.ring(.status)
            try await fixture.eventually("both are forgotten") {
                room.waiting.isEmpty && device.known.answeredLives.isEmpty
            }
            let told = fixture.management.reports.flatMap { $0.feedback() }.map(\.life)
            #expect(Set(told) == [next])
        }
    }
}

extension EnrolledDevice {
    /// What the device has said of a command so far, as it said it.
    func answers(to uuid: String) -> [Data] {
        management.requests.map(\.body).filter { (try? CommandReport(parsing: $0))?.commandUUID == uuid }
    }
}
