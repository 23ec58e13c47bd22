import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What was handed over reaches the server, and is forgotten once the server has it, and only then.
@Suite(.timeLimit(.minutes(10)))
struct FeedbackSessionTests {
    private static let app = PlayedManagement.app
    private static let feedback = Data("<plist version=\"1.0\"><dict><key>n</key><true/></dict></plist>".utf8)

    /// Has the app hand its present life over, and names it.
    private static func handOver(to room: FeedbackRoom) async throws -> String {
        let life = room.life(of: app).life
        let note = FeedbackNote(life: life, sequence: 1, feedback: feedback)
        let result = await withCheckedContinuation {
            (done: CheckedContinuation<Result<FeedbackLife, VarlinkError>, Never>) in
            room.take(note, of: app, configuration: "", isHandOver: true, uptime: 0) { done.resume(returning: $0) }
        }
        #expect(try result.get().life != life)
        return life
    }

    /// The lives in each report that was sent, whatever the server said to it.
    private static func sent(_ fixture: EnrolledDevice) -> [[String]] {
        fixture.management.requests.compactMap { request in
            let message = try? PropertyListValue(parsing: request.body, limits: .message)
            guard message?["Endpoint"]?.string == "status", let data = message?["Data"]?.data,
                let report = try? StatusReport(parsing: data)
            else { return nil }
            return report.feedback().map(\.life)
        }
    }

    @Test func whatWasHandedOverIsForgottenAfterAnAnswerOf200AndOnlyThen() async throws {
        try await EnrolledDevice.run { fixture in
            let management = fixture.management
            management.subscribe(to: AppFeedbackStatus.name)
            management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("feedback is subscribed to") {
                fixture.device.known.applied.subscriptions.contains(AppFeedbackStatus.name)
            }
            let room = fixture.device.feedback
            room.keep(only: [Self.app])

            management.publish(2, fault: { $0 == "status" ? .reply(500) : nil })
            let first = try await Self.handOver(to: room)
            fixture.doorbell.ring(.status)
            try await fixture.eventually("it is told again and again") {
                Self.sent(fixture).filter { $0 == [first] }.count >= 2
            }
            #expect(room.waiting.map(\.life) == [first] && management.reports.allSatisfy { $0.feedback().isEmpty })

            management.publish(2)
            try await fixture.eventually("it is forgotten") { room.waiting.isEmpty }
            let second = try await Self.handOver(to: room)
            fixture.doorbell.ring(.status)
            try await fixture.eventually("the next is told") { room.waiting.isEmpty }
            let told = management.reports.flatMap { $0.feedback() }
            #expect(told.map(\.life) == [first, second])
            #expect(told.allSatisfy { $0.app == Self.app && $0.feedback == Self.feedback })
        }
    }

    @Test func nothingIsToldToAServerThatHasNotAsked() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.doorbell.ring(.look)
            try await fixture.serves(1)
            let room = fixture.device.feedback
            room.keep(only: [Self.app])
            let life = try await Self.handOver(to: room)
            // Another version brings another report.
            let before = Self.sent(fixture).count
            fixture.management.publish(2)
            fixture.doorbell.ring([.look, .status])
            try await fixture.serves(2)
            try await fixture.eventually("it reports") { Self.sent(fixture).count > before }
            #expect(Self.sent(fixture).allSatisfy(\.isEmpty) && room.waiting.map(\.life) == [life])
        }
    }
}
