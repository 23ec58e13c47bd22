import DeviceMessages
import Foundation
import Logging
import Synchronization
import Testing

@testable import DeviceAgent

/// The roots in effect: a file that is whole at every moment, and follows what is held whatever interrupts it.
struct TrustBundleTests {
    private static let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1")

    /// A device in a directory of its own, and what it has in effect.
    private struct Room {
        let directory: String
        let system: String

        init() throws {
            directory = NSTemporaryDirectory() + "martlet-trust-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            system = directory + "/system.pem"
            try Data("the system's roots".utf8).write(to: URL(filePath: system))
        }

        func remove() { try? FileManager.default.removeItem(atPath: directory) }

        /// The agent, started.
        func device(_ steps: any FileSteps = DiskSteps()) throws -> Device {
            try Device(
                directory: directory + "/agent", appDirectories: [], facts: TrustBundleTests.facts,
                namesMachine: false, steps: steps)
        }

        func bundle(_ steps: any FileSteps = DiskSteps(), isForEveryone: Bool = true) -> TrustBundle {
            TrustBundle(of: directory + "/agent", isForEveryone: isForEveryone, system: system, steps: steps)
        }

        func work(_ device: Device, _ steps: any FileSteps = DiskSteps()) -> EffectsAtWork {
            EffectsAtWork(
                device: device, effects: [bundle(steps)], bell: InstallBell(), changed: {},
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        /// What an app reads; nothing if there is no file.
        var content: String? { try? String(contentsOfFile: bundle().path, encoding: .utf8) }
    }

    /// A device that holds the root One and judges its configuration to be valid.
    private static func judged(_ room: Room) throws -> Device {
        let device = try room.device()
        try hold(["One"], on: device)
        try device.change {
            $0.applied.verdicts["One"] = Verdict(kind: .configuration, serverToken: "1", active: true, valid: .valid)
        }
        return device
    }

    private static func hold(_ names: [String], on device: Device) throws {
        let roots = try names.map { name in
            RootCertificatesSystem.Root(
                declaration: name, root: try RootCertificate(TestRoot.der(name), now: TestRoot.now))
        }
        try device.change { $0.applied.systems[RootCertificatesSystem.self] = roots.isEmpty ? nil : roots }
    }

    private static func pems(_ device: Device) -> [String] {
        (device.known.applied.systems[RootCertificatesSystem.self] ?? []).map(\.root.pem)
    }

    private static func wanted(_ device: Device) -> String {
        let pems = pems(device)
        return pems.isEmpty ? "the system's roots" : "the system's roots\n" + pems.joined()
    }

    @Test func appsTrustTheSystemsRootsAndThoseAssigned() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try room.bundle().prepare()
        #expect(room.content == "the system's roots")
        let effects = room.work(device)
        for names in [["One"], ["One", "Two"], ["Two"], []] {
            try Self.hold(names, on: device)
            #expect(await effects.pass())
            #expect(room.content == Self.wanted(device), "\(names)")
        }
        #expect(device.known.effects.isEmpty, "nothing is in effect, and nothing on record")
        #expect(try room.bundle().stands(nil))
    }

    /// Apps that are other users may read it, and only the agent may change it.
    @Test func appsMayReadTheFile() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold(["One"], on: device)
        await room.work(device).pass()
        let path = room.bundle().path
        func modes() throws -> [Int?] {
            try [path, (path as NSString).deletingLastPathComponent].map {
                (try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? NSNumber)?.intValue
            }
        }
        #expect(try modes() == [0o644, 0o755])
        let held = device.known.applied.systems[RootCertificatesSystem.self]
        try room.bundle(isForEveryone: false).put(held)
        #expect(try modes() == [0o600, 0o700], "where apps are the agent's own user nobody else needs it")
    }

    /// `kill -9` at every step of putting roots in effect, of replacing them and of taking them back: an app reads the old
    /// file or the new one, and the next start ends with what is held.
    @Test(arguments: [(["One"], ["One", "Two"]), ([], ["One"]), (["One"], [])])
    func aStopAtAnyStepLeavesTheOldFileOrTheNewOne(_ before: [String], _ after: [String]) async throws {
        var stops = 0
        for limit in 0... {
            let room = try Room()
            defer { room.remove() }
            let first = try room.device()
            try room.bundle().prepare()
            try Self.hold(before, on: first)
            await room.work(first).pass()
            let old = Self.wanted(first)
            try Self.hold(after, on: first)
            let new = Self.wanted(first)

            let steps = StoppingSteps(after: limit)
            let stopping = try room.device(steps)
            steps.begin()
            let isDone = await room.work(stopping, steps).pass()
            let read = room.content
            #expect(read == old || read == new, "after \(limit) steps: \(read ?? "no file")")

            let next = try room.device()
            #expect(await room.work(next).pass(isFirst: true))
            #expect(room.content == new)
            #expect(!next.known.effects.values.contains { !$0.isDone })
            #expect(next.known.effects.isEmpty == after.isEmpty)
            if isDone, !steps.hasStopped { break }
            stops += 1
        }
        #expect(stops >= 5, "of \(stops) steps each was the last one once")
    }

    /// The enrollment ends while roots are in effect, and the process ends before they are taken back.
    @Test func whatIsInEffectIsTakenBackAfterTheEnrollmentHasEnded() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold(["One"], on: device)
        await room.work(device).pass()
        try device.change(forgetting: true) { $0.unenroll() }
        #expect(device.known.effects["root-certificates"] != nil, "on record until it is taken back")
        let next = try room.device()
        #expect(await room.work(next).pass(isFirst: true))
        #expect(room.content == "the system's roots" && next.known.effects.isEmpty)
    }

    /// Somebody else changes the file: the next look puts it right.
    @Test func aFileThatWasChangedIsPutRight() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try room.device()
        try Self.hold(["One"], on: device)
        await room.work(device).pass()
        let right = room.content
        for change in ["another", ""] {
            try Data(change.utf8).write(to: URL(filePath: room.bundle().path))
            await room.work(device).pass()
            #expect(room.content == change, "it is looked at when the agent starts, and now and then")
            await room.work(device).pass(isFirst: true)
            #expect(room.content == right)
        }
        try Data("newer roots of the system".utf8).write(to: URL(filePath: room.system))
        await room.work(device).pass(isFirst: true)
        #expect(room.content?.hasPrefix("newer roots of the system\n-----BEGIN") == true)
    }

    /// The agent reports a changed file that it cannot repair, and tries again without another look.
    @Test func aFileThatCouldNotBePutRightIsTriedAgain() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try Self.judged(room)
        await room.work(device).pass()
        let right = room.content
        try Data("another".utf8).write(to: URL(filePath: room.bundle().path))
        let steps = StoppingSteps(after: 0)
        steps.begin()
        #expect(await !room.work(device, steps).pass(isFirst: true))
        #expect(device.known.toldVerdicts["One"]?.valid == .invalid)
        // The same failure again: the agent writes nothing, and the server's report stays the same.
        let written = device.atRest.serving
        #expect(await !room.work(device, steps).pass())
        #expect(device.atRest.serving == written && device.known.toldVerdicts["One"]?.valid == .invalid)
        #expect(await room.work(device).pass())
        #expect(room.content == right && device.known.toldVerdicts["One"]?.valid == .valid)
    }

    /// What cannot be put in effect is not said to be valid.
    @Test func theServerIsToldWhatIsNotInEffect() async throws {
        let room = try Room()
        defer { room.remove() }
        let device = try Self.judged(room)
        #expect(device.known.toldVerdicts["One"]?.valid == .unknown)
        let steps = StoppingSteps(after: 0)
        steps.begin()
        #expect(await !room.work(device, steps).pass())
        #expect(device.known.toldVerdicts["One"]?.valid == .invalid)
        #expect(device.known.toldVerdicts["One"]?.reasons.first?.code == "Error.ConfigurationCannotBeApplied")
        #expect(await room.work(device).pass())
        #expect(device.known.toldVerdicts["One"]?.valid == .valid)
    }
}

/// A disk that fails after a number of steps, counted from a call on.
private final class StoppingSteps: FileSteps {
    struct Stopped: Error {}

    private let disk = DiskSteps()
    private let left: Mutex<Int>
    private let counts = Mutex(false)
    private let stopped = Mutex(false)

    init(after steps: Int) { left = Mutex(steps) }

    var hasStopped: Bool { stopped.withLock { $0 } }

    func begin() { counts.withLock { $0 = true } }

    private func step() throws {
        guard counts.withLock({ $0 }) else { return }
        let isLast = left.withLock { left in
            left -= 1
            return left < 0
        }
        guard isLast else { return }
        stopped.withLock { $0 = true }
        throw Stopped()
    }

    func makeDirectory(_ path: String) throws {
        try step()
        try disk.makeDirectory(path)
    }

    func write(_ data: Data, to path: String) throws {
        try step()
        try disk.write(data, to: path)
    }

    func reserve(_ bytes: Int, at path: String) throws { try disk.reserve(bytes, at: path) }

    func overwrite(_ path: String, with data: Data) throws {
        try step()
        try disk.overwrite(path, with: data)
    }

    func sync(_ path: String) throws {
        try step()
        try disk.sync(path)
    }

    func rename(_ path: String, to newPath: String) throws {
        try step()
        try disk.rename(path, to: newPath)
    }

    func remove(_ path: String) throws {
        try step()
        try disk.remove(path)
    }

    func read(_ path: String, limit: Int) throws -> Data? { try disk.read(path, limit: limit) }
    func list(_ path: String) throws -> [String] { try disk.list(path) }
}
