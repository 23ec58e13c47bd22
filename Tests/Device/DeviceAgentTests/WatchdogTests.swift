import Foundation
import Synchronization
import Testing

@testable import DeviceAgent

/// The messages to the service manager's watchdog about the conversation with the server.
@Suite(.timeLimit(.minutes(10)))
struct WatchdogTests {
    private static let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1")

    @Test func aConversationThatDoesNotGetOnHangs() {
        let pulse = LoopPulse()
        let late = ContinuousClock.now + LoopPulse.longestStep + .seconds(60)
        #expect(!pulse.hangs(at: late), "nothing is under way")
        pulse.begin()
        #expect(!pulse.hangs() && pulse.hangs(at: late))
        pulse.rest()
        #expect(!pulse.hangs(at: late))
        pulse.goOn()
        #expect(!pulse.hangs(at: late), "an answer that nobody waits for begins nothing")
    }

    /// The device's own loop says when it begins, and when it rests.
    @Test func theDevicesLoopIsWatchedWhileItSpeaksWithTheServer() async throws {
        try await EnrolledDevice.run { fixture in
            let pulse = fixture.device.pulse
            @Sendable func isUnderWay() -> Bool { pulse.hangs(at: .now + LoopPulse.longestStep + .seconds(60)) }
            // Looked at while the server answers: a look from here might always come between two conversations.
            let seen = Sighting()
            fixture.management.publish(1) { asked in
                if asked == "command", isUnderWay() { seen.isMade.withLock { $0 = true } }
                return nil
            }
            try await fixture.eventually("a conversation is under way") {
                fixture.doorbell.ring(.commands)
                return seen.isMade.withLock { $0 }
            }
            try await fixture.eventually("it has ended") { !isUnderWay() }
        }
    }

    private final class Sighting: Sendable { let isMade = Mutex(false) }

    /// A disk that does not come back holds up every change: then the agent does not answer its watchdog.
    @Test func aDeviceWhoseDiskHangsDoesNotAnswer() async throws {
        let steps = HangingSteps()
        let device = try Device(
            directory: "/d", appDirectories: [], facts: Self.facts, namesMachine: false, steps: steps)
        #expect(await device.answers())
        steps.hang()
        let change = Thread { try? device.change { $0.lastContact = Date() } }
        change.start()
        steps.waitUntilItHangs()
        let answered = Mutex(false)
        let question = Task {
            _ = await device.answers()
            answered.withLock { $0 = true }
        }
        // No answer is to come in this time: a slow machine makes none.
        try await Task.sleep(for: .milliseconds(100))
        #expect(!answered.withLock { $0 })
        steps.goOn()
        await question.value
        #expect(answered.withLock { $0 })
    }
}

/// A disk that hangs when a test says so.
private final class HangingSteps: FileSteps {
    private let memory = MemorySteps()
    private let hangs = Mutex(false)
    private let hanging = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    func hang() { hangs.withLock { $0 = true } }
    func waitUntilItHangs() { hanging.wait() }

    func goOn() {
        hangs.withLock { $0 = false }
        gate.signal()
    }

    func makeDirectory(_ path: String) throws { try memory.makeDirectory(path) }

    func write(_ data: Data, to path: String) throws {
        if hangs.withLock({ $0 }) {
            hanging.signal()
            gate.wait()
        }
        try memory.write(data, to: path)
    }

    func reserve(_ bytes: Int, at path: String) throws { try memory.reserve(bytes, at: path) }
    func overwrite(_ path: String, with data: Data) throws { try write(data, to: path) }
    func sync(_ path: String) throws { try memory.sync(path) }
    func rename(_ path: String, to newPath: String) throws { try memory.rename(path, to: newPath) }
    func remove(_ path: String) throws { try memory.remove(path) }
    func read(_ path: String, limit: Int) throws -> Data? { try memory.read(path, limit: limit) }
    func list(_ path: String) throws -> [String] { try memory.list(path) }
}
