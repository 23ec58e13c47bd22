import DeviceMessages
import Foundation
import Synchronization
import TestLog
import Testing

@testable import DeviceAgent

/// The login message in effect: a refusal is reported once, and a file that a restart removed is put back in silence.
struct LoginMessageEffectTests {
    private static let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1")

    /// Counts how often the server is to hear of something.
    private final class News: Sendable {
        private let heard = Mutex(0)

        var count: Int { heard.withLock { $0 } }

        func add() { heard.withLock { $0 += 1 } }
    }

    /// A directory of a test's own, with an agent's state and what the machine shows after a login.
    private struct Room {
        let directory: String
        let lines = LogLines()
        let news = News()

        init() throws {
            directory = NSTemporaryDirectory() + "martlet-login-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }

        func remove() { try? FileManager.default.removeItem(atPath: directory) }

        /// The agent, started.
        func device() throws -> Device {
            try Device(
                directory: directory + "/agent", appDirectories: [], facts: LoginMessageEffectTests.facts,
                namesMachine: false)
        }

        /// Puts in effect what the device holds; `place` is where texts are shown, if anywhere.
        @discardableResult
        func pass(_ device: Device, boot: String = "boot-1", isFirst: Bool = false, place: String?) async -> Bool {
            let effects = EffectsAtWork(
                device: device, effects: [LoginMessageFile(directory: place)], bell: InstallBell(),
                changed: { [news] in news.add() }, boot: { boot }, log: lines.logger())
            return await effects.pass(isFirst: isFirst)
        }

        var place: String { directory + "/motd.d" }
        var file: String { place + "/50-martlet" }
        var content: String? { try? String(contentsOfFile: file, encoding: .utf8) }

        /// The lines that take a missing file for a change by something else.
        var warnings: [String] { lines.all.filter { $0.contains("was changed by something else") } }
    }

    private static func hold(_ text: String?, on device: Device) throws {
        try device.change { state in
            state.applied.systems[LoginMessageSystem.self] = text.map {
                LoginMessageSystem.Message(declaration: "a", text: $0)
            }
            state.applied.verdicts["a"] = Verdict(kind: .configuration, serverToken: "1", active: true, valid: .valid)
        }
    }

    /// The agent reports a refusal with its reason once; it tries again when it starts, and when another text is held.
    ///
    /// Red where a refusal counts as a failure: the pass would not be done, so that the agent tries again every ten
    /// seconds, with an error in the log each time.
    @Test func aRefusalIsReportedOnce() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold("Welcome", on: device)
        #expect(await room.pass(device, place: nil), "nothing is left to try")
        let verdict = try #require(device.known.toldVerdicts["a"])
        #expect(verdict.valid == .invalid)
        #expect(verdict.reasons.first?.code == "Error.ConfigurationCannotBeApplied")
        #expect(device.known.effects["login-message"]?.failure?.contains("loginMessages") == true)
        let (written, logged) = (device.atRest.serving, room.lines.all.count)
        #expect(room.news.count == 1 && logged == 1, "\(room.lines.all)")

        for isFirst in [false, true, false] { #expect(await room.pass(device, isFirst: isFirst, place: nil)) }
        #expect(device.atRest.serving == written && room.news.count == 1 && room.lines.all.count == logged)

        try Self.hold("Hello", on: device)
        #expect(await room.pass(device, place: nil))
        #expect(room.news.count == 2, "of another text the server hears anew")

        // With another setting the agent starts: now it can be.
        let next = try room.device()
        #expect(await room.pass(next, place: room.place))
        #expect(room.content == nil, "not before it is looked at")
        #expect(await room.pass(next, isFirst: true, place: room.place))
        #expect(room.content == "Hello\n" && next.known.toldVerdicts["a"]?.valid == .valid)
        try Self.hold(nil, on: next)
        #expect(await room.pass(next, place: room.place))
        #expect(room.content == nil && next.known.effects.isEmpty)
    }

    /// A failure after a refusal is tried again like any other.
    ///
    /// Red where the record keeps the refusal: the next pass would do nothing.
    @Test func aFailureAfterARefusalIsTriedAgain() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold("Welcome", on: device)
        await room.pass(device, place: nil)
        // A file has the place of the directory.
        try Data().write(to: URL(filePath: room.place))
        #expect(await !room.pass(device, isFirst: true, place: room.place))
        try FileManager.default.removeItem(atPath: room.place)
        #expect(await room.pass(device, place: room.place))
        #expect(room.content == "Welcome\n")
    }

    /// An effect that another pass overtakes: its text is in effect before this pass has noted why it failed.
    private struct Overtaken: SystemEffect {
        typealias System = LoginMessageSystem

        let device: Device
        let error: any Error

        func put(_ held: LoginMessageSystem.Message?) throws {
            try device.change { state in
                state.effects[LoginMessageSystem.name]?.isDone = true
            }
            throw error
        }

        func stands(_ held: LoginMessageSystem.Message?) throws -> Bool { true }
    }

    /// A failure is not recorded for what another pass has put in effect since.
    ///
    /// Red where it is: what is in effect would be noted as failed, or as refused.
    @Test(arguments: [true, false])
    func aFailureIsNotNotedAboutALaterEffect(isRefusal: Bool) async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold("Welcome", on: device)
        let error: any Error =
            isRefusal ? EffectRefusal("not on this device") : FileRefusal(step: "writing", number: EIO)
        let effects = EffectsAtWork(
            device: device, effects: [Overtaken(device: device, error: error)], bell: InstallBell(),
            changed: { [news = room.news] in news.add() }, boot: { "boot-1" }, log: room.lines.logger())
        await effects.pass()
        let record = try #require(device.known.effects[LoginMessageSystem.name])
        #expect(record.isDone && record.failure == nil && record.isRefused == nil)
        #expect(room.news.count == 0 && device.known.toldVerdicts["a"]?.valid == .valid)
    }

    /// After a restart of the machine the file is put back without a warning; in one boot its loss is a change.
    ///
    /// Red where the record has no boot: each restart would log a change that nobody made.
    @Test func aFileThatARestartTookIsPutBack() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold("Welcome", on: device)
        await room.pass(device, place: room.place)
        for boot in ["boot-2", "boot-3"] {
            try FileManager.default.removeItem(atPath: room.place)
            #expect(try await room.pass(room.device(), boot: boot, isFirst: true, place: room.place))
            #expect(room.content == "Welcome\n" && room.warnings.isEmpty, "\(room.lines.all)")
        }
        try FileManager.default.removeItem(atPath: room.file)
        #expect(try await room.pass(room.device(), boot: "boot-3", isFirst: true, place: room.place))
        #expect(room.content == "Welcome\n" && room.warnings.count == 1)

        // A restart that left the file is noted, so that what happens to it afterwards is a change again.
        #expect(try await room.pass(room.device(), boot: "boot-4", isFirst: true, place: room.place))
        try Data("another".utf8).write(to: URL(filePath: room.file))
        #expect(try await room.pass(room.device(), boot: "boot-4", isFirst: true, place: room.place))
        #expect(room.content == "Welcome\n" && room.warnings.count == 2)
    }

    /// A record of an older agent, without refusals and boots, is read as before.
    @Test func anOlderRecordIsRead() throws {
        let record = try JSONDecoder().decode(
            EffectRecord.self, from: Data(#"{"isDone":false,"failure":"no room"}"#.utf8))
        #expect(record == EffectRecord(form: nil, failure: "no room"))
        #expect(EffectStep.next(nil, record, isFirst: false) == .put(record))
        #expect(!record.isOfEarlierBoot(than: "boot-1"))
    }
}
