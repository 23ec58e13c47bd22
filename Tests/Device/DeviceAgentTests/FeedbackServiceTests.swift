import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Testing
import Waiting

/// How apps are asked for their feedback on real sockets, and what becomes of notes whose app has ended.
@Suite(.timeLimit(.minutes(10)))
struct FeedbackServiceTests {
    private static let app = Fixture.app
    private static let managed = AppState(managed: true, synchronised: true)

    private static func feedback(_ number: Int) -> Data {
        Data("<plist version=\"1.0\"><dict><key>n</key><integer>\(number)</integer></dict></plist>".utf8)
    }

    private static func room(in directory: String) throws -> FeedbackRoom {
        let steps = DiskSteps()
        try steps.makeDirectory(directory)
        let room = FeedbackRoom(
            directory: directory, steps: steps, key: try SealingKey.open(in: directory, mayCreate: true, steps: steps))
        room.keep(only: [app])
        return room
    }

    private static func state(_ socket: AppSocket) throws -> DefaultsState {
        try VarlinkReply<DefaultsState>(parsing: try socket.next()).result.get()
    }

    /// The service begins only when the app has written its notes and ended: it was red while their connections were dropped
    /// unread.
    @Test(arguments: [false, true])
    func notesThatLieUnreadWhenTheirAppEndsAreKept(_ isHandedOver: Bool) async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let room = try Self.room(in: root.appending(path: "feedback").path)
        let life = room.life(of: Self.app).life
        let notes = (1...3).map { FeedbackNote(life: life, sequence: $0, feedback: Self.feedback($0)) }
        var calls: [AppCall] = [.putFeedback(notes[0]), .information, .putFeedback(notes[1])]
        calls.append(isHandedOver ? .handOverFeedback(notes[2]) : .putFeedback(notes[2]))
        let lines = calls.map { call in
            "printf '%s\\000' '\(String(decoding: call.encoded().dropLast(), as: UTF8.self))' >&3"
        }
        let bundle = try Fixture.bundle(root, lines.joined(separator: "\n"))
        let service = Fixture.service(
            root, LaunchRecordsFile(path: root.appending(path: "launches.json").path), apps: [Self.app: bundle],
            feedback: room)
        let process = try service.launch(bundle)
        try await eventually("the app has ended") {
            try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") Z ")
        }
        service.update([Self.app: Self.managed])
        try service.start()
        defer { service.stop() }
        try await eventually("the last note is kept") {
            isHandedOver
                ? room.waiting.map(\.feedback) == [Self.feedback(3)]
                : room.life(of: Self.app).feedback == Self.feedback(3)
        }
        #expect((room.life(of: Self.app).life == life) == !isHandedOver)
    }

    /// It was red while an app that had not answered was never asked again on its stream.
    @Test func anAppThatDoesNotAnswerIsAskedAgainAtTheNextRound() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let room = try Self.room(in: directory)
        let fixture = try Fixture(ourselves: true, feedback: room)
        fixture.service.update([Self.app: Self.managed])
        let stream = try AppSocket(fixture)
        try stream.send(.watchDefaults)
        let first = try Self.state(stream)
        #expect(!first.take && first.sequence == 0)

        let calls = try AppSocket(fixture)
        let note = FeedbackNote(life: first.life, sequence: 1, feedback: Self.feedback(1))
        #expect(try calls.ask(.putFeedback(note), FeedbackLife.self).get().life == first.life)
        // After the answer to a note the service looks who else is to be told; with the next answer it has done so, and an
        // ask that comes now is told once.
        _ = try calls.ask(.getSecret(.password, identifier: "none"), Varlink.Nothing.self)
        for round in 1...2 {
            room.ask()
            let asked = try Self.state(stream)
            #expect(asked.take && asked.life == first.life && asked.sequence == 1, "round \(round)")
        }
        let next = try calls.ask(.handOverFeedback(note), FeedbackLife.self).get().life
        let last = try Self.state(stream)
        #expect(!last.take && last.life == next && last.feedback == nil)
        #expect(room.waiting.map(\.life) == [first.life])
    }
}
