import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Synchronization
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

    private static func room(in directory: String, _ steps: any FileSteps = DiskSteps()) throws -> FeedbackRoom {
        try steps.makeDirectory(directory)
        let room = FeedbackRoom(
            directory: directory, steps: steps, key: try SealingKey.open(in: directory, mayCreate: true, steps: steps))
        room.keep(only: [app])
        return room
    }

    private static func state(_ socket: AppSocket) throws -> DefaultsState {
        try VarlinkReply<DefaultsState>(parsing: try socket.next()).result.get()
    }

    /// The message that a launched process received, once it has written it to a file.
    private static func state(at file: URL) async throws -> DefaultsState {
        let message = try await eventually("a process is told") { () -> Data? in
            guard let bytes = try? Data(contentsOf: file), bytes.last == 0 else { return nil }
            return bytes.dropLast()
        }
        return try VarlinkReply<DefaultsState>(parsing: message).result.get()
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

    /// It was red while a process was told at once what was just being taken: it counted on from that, and the server had it
    /// twice.
    @Test func whoBeginsWhileTheRestOfAnEndedProcessIsTakenCountsFromNothing() async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let steps = HeldSteps()
        defer { steps.goOn() }
        let room = try Self.room(in: root.appending(path: "feedback").path, steps)
        let watch = String(decoding: AppCall.watchDefaults.encoded().dropLast(), as: UTF8.self)
        let (sent, told) = (root.appending(path: "sent"), root.appending(path: "told"))
        let bundle = try Fixture.bundle(
            root, "printf '%s\\000' '\(watch)' >&3; : > '\(sent.path)'; head -z -n 1 <&3 > '\(told.path)'")
        let service = Fixture.service(
            root, LaunchRecordsFile(path: root.appending(path: "launches.json").path), apps: [Self.app: bundle],
            feedback: room)
        try service.start()
        defer { service.stop() }
        service.update([Self.app: Self.managed])
        let life = room.life(of: Self.app).life
        let note = FeedbackNote(life: life, sequence: 1, feedback: Self.feedback(1))
        let kept = await withCheckedContinuation {
            (done: CheckedContinuation<Result<FeedbackLife, VarlinkError>, Never>) in
            room.take(note, of: Self.app, configuration: "", isHandOver: false, uptime: 0) {
                done.resume(returning: $0)
            }
        }
        #expect(try kept.get().life == life)

        steps.hold()
        room.ask()
        try await eventually("what was left is being taken") { steps.isHolding }
        _ = try service.launch(bundle, environment: ["PATH": "/usr/bin:/bin"])
        try await eventually("the next process has asked") { FileManager.default.fileExists(atPath: sent.path) }
        // What lies in its socket comes before these.
        for _ in 1...3 { _ = await service.answers() }
        steps.goOn()
        let state = try await Self.state(at: told)
        #expect(state.life != life && state.sequence == 0 && state.feedback == nil)
        #expect(room.waiting.map(\.life) == [life])
    }

    /// Red where a process that begins waits for every note of its app: another process that writes without pause then
    /// keeps it waiting without end.
    @Test func whoBeginsWaitsForNoNoteThatComesLater() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let steps = HeldSteps()
        defer { steps.goOn() }
        let room = try Self.room(in: directory, steps)
        let fixture = try Fixture(ourselves: true, feedback: room)
        fixture.service.update([Self.app: Self.managed])
        let stream = try AppSocket(fixture)
        try stream.send(.watchDefaults)
        let life = try Self.state(stream).life
        let writers = [try AppSocket(fixture), try AppSocket(fixture)]

        steps.hold()
        try writers[0].send(.putFeedback(FeedbackNote(life: life, sequence: 1, feedback: Self.feedback(1))))
        try await eventually("the first note is under way") { steps.isHolding }
        let watch = String(decoding: AppCall.watchDefaults.encoded().dropLast(), as: UTF8.self)
        let places = ["sent", "first", "second"].map { fixture.root.appending(path: $0) }
        let lines = [
            "printf '%s\\000' '\(watch)' >&3", ": > '\(places[0].path)'",
            "head -z -n 1 <&3 > '\(places[1].path)'", "head -z -n 1 <&3 > '\(places[2].path)'",
        ]
        _ = try fixture.service.launch(
            try Fixture.bundle(fixture.root, lines.joined(separator: "\n")), environment: ["PATH": "/usr/bin:/bin"])
        try await eventually("another process has asked") {
            FileManager.default.fileExists(atPath: places[0].path)
        }
        // What lies in its socket comes before these.
        for _ in 1...3 { _ = await fixture.service.answers() }
        try writers[1].send(.putFeedback(FeedbackNote(life: life, sequence: 2, feedback: Self.feedback(2))))
        for _ in 1...3 { _ = await fixture.service.answers() }
        #expect((try? Data(contentsOf: places[1]))?.isEmpty != false, "the first note is waited for")
        steps.step()
        let first = try await Self.state(at: places[1])
        #expect(first.life == life && first.sequence == 1 && first.feedback == Self.feedback(1))
        steps.goOn()
        let second = try await Self.state(at: places[2])
        #expect(second.life == life && second.sequence == 2 && second.feedback == Self.feedback(2))
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

/// A disk that holds up what is written when a test says so; one thread writes.
private final class HeldSteps: FileSteps {
    private struct State {
        var holds = false
        var isHolding = false
    }

    private let disk = DiskSteps()
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    /// Whether something is held up.
    var isHolding: Bool { state.withLock { $0.isHolding } }

    func hold() { state.withLock { $0.holds = true } }

    /// Releases the write that waits, and holds the next one.
    func step() {
        let isHolding = state.withLock { state -> Bool in
            defer { state.isHolding = false }
            return state.isHolding
        }
        if isHolding { gate.signal() }
    }

    func goOn() {
        let isHolding = state.withLock { state -> Bool in
            defer { state = State() }
            return state.isHolding
        }
        if isHolding { gate.signal() }
    }

    func write(_ data: Data, to path: String) throws {
        let holds = state.withLock { state -> Bool in
            state.isHolding = state.holds
            return state.holds
        }
        if holds { gate.wait() }
        try disk.write(data, to: path)
    }

    func makeDirectory(_ path: String) throws { try disk.makeDirectory(path) }
    func reserve(_ bytes: Int, at path: String) throws { try disk.reserve(bytes, at: path) }
    func overwrite(_ path: String, with data: Data) throws { try disk.overwrite(path, with: data) }
    func sync(_ path: String) throws { try disk.sync(path) }
    func rename(_ path: String, to newPath: String) throws { try disk.rename(path, to: newPath) }
    func remove(_ path: String) throws { try disk.remove(path) }
    func read(_ path: String, limit: Int) throws -> Data? { try disk.read(path, limit: limit) }
    func list(_ path: String) throws -> [String] { try disk.list(path) }
}
