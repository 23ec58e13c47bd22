import AppPackages
import CraftedPackages
import DeviceAgent
import Foundation
import Logging
import Synchronization
import Testing
import Waiting

/// A signed app that the agent did not launch has ten seconds to answer what it is asked; the test's clock says which.
@Suite(.timeLimit(.minutes(10)))
struct ChallengeTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func whoDoesNotAnswerInTimeIsRefused() async throws {
        let signed = try SignedProgram()
        let process = try signed.run(answering: false)
        defer { process.terminate() }
        #expect(await signed.nextLine() == "asked")
        signed.clock.advance(by: 10 * Self.second - 1)
        _ = await signed.service.answers()
        #expect(signed.refusals == [:])
        signed.clock.advance(by: 1)
        _ = await signed.service.answers()
        try #require(signed.refusals == ["challenge": 1])
        #expect(await signed.nextLine() == "ended")
    }

    /// B18: what a stranger's program takes to be looked at, however long that is.
    @Test func aStrangersProgramKeepsNobodyWaitingWhoOpensASignedApp() async throws {
        let gate = DispatchSemaphore(value: 0)
        let hasGivenUp = Mutex(false)
        let signed = try SignedProgram(whenLookedAt: {
            if gate.wait(timeout: .now() + 300) == .timedOut { hasGivenUp.withLock { $0 = true } }
        })
        defer { gate.signal() }
        let stranger = try signed.run(answering: false)
        defer { stranger.terminate() }
        try await eventually("the stranger's program is looked at") { signed.isLookedAt }
        let status = try await Task.detached { try signed.open("import sys; sys.exit(7)") }.value
        #expect(status == 7)
        #expect(!hasGivenUp.withLock { $0 }, "it was opened while the stranger was looked at")
        gate.signal()
        #expect(await signed.nextLine() == "asked")
    }

    @Test func whoHasAnsweredIsAskedNoMore() async throws {
        let signed = try SignedProgram()
        let process = try signed.run(answering: true)
        defer { process.terminate() }
        #expect(await signed.nextLine() == "asked")
        #expect(await signed.nextLine() == "known")
        signed.clock.advance(by: 60 * Self.second)
        _ = await signed.service.answers()
        #expect(signed.refusals == [:])
        #expect(process.isRunning)
    }
}

/// A service that knows one signed app, whose program is Python, and whose time is the test's.
private final class SignedProgram: Sendable {
    let clock = UptimeClock()
    let service: AppService
    private let root: URL
    private let output = Pipe()
    private let unread = Mutex("")

    private static let script = """
        import json, os, socket, sys
        end = socket.socket(socket.AF_UNIX)
        end.connect(sys.argv[1])
        def ask(method, parameters):
            end.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\\0")
            return json.loads(end.recv(65536)[:-1])
        asked = ask("org.varlink.service.GetInfo", {})
        print("asked" if asked.get("error", "").endswith("IdentificationNeeded") else asked, flush=True)
        if sys.argv[2] == "true":
            reply = ask("dev.martlet.App.Identify", asked["parameters"])
            print("known" if "error" not in reply else reply, flush=True)
        print("ended" if end.recv(1) == b"" else "told", flush=True)
        """

    private final class Looks: Sendable {
        let count = Mutex(0)
    }

    private let looks = Looks()
    var isLookedAt: Bool { looks.count.withLock { $0 > 0 } }

    /// Opens the app, which runs a line of Python; its exit status.
    func open(_ line: String) throws -> Int32 {
        try OpenCommand.run(
            controlPath: root.appending(path: "control.sock").path, bundleIdentifier: "com.example.app",
            arguments: ["-c", line], environment: ["PYTHONHOME": "/usr"])
    }

    init(whenLookedAt: @escaping @Sendable () -> Void = {}) throws {
        root = try Fixture.directory()
        let team = try Team("Team")
        var craft = Craft()
        craft.files[1].content = [UInt8](try Data(contentsOf: URL(filePath: "/usr/bin/python3")))
        let place = root.appending(path: "Signed.app").path
        _ = try VerifiedPackage.unpack(
            PackageBytes(try craft.bytes(by: team)), to: place, trust: try TeamTrust([team.certificateDER]),
            now: Team.now)
        let bundle = AppBundle(
            directory: place, identifier: "com.example.app", name: "App", version: "1", shortVersion: "1",
            executable: place + "/App")
        let certificate = team.certificateDER
        service = AppService(
            socketPath: root.appending(path: "apps.sock").path, controlPath: root.appending(path: "control.sock").path,
            records: LaunchRecordsFile(path: root.appending(path: "launches.json").path),
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), find: { _ in bundle },
            program: { [looks] path in
                guard path == bundle.executable else { return nil }
                looks.count.withLock { $0 += 1 }
                whenLookedAt()
                return bundle
            },
            teams: { KnownTeams(certificates: [certificate]) }, report: { _ in }, uptime: { [clock] in clock.now })
        try service.start()
        service.update([:])
    }

    deinit {
        service.stop()
        try? FileManager.default.removeItem(at: root)
    }

    /// Starts its program as somebody does who is not the agent.
    ///
    /// What a test beside this one starts has the program open, as it was written, until its own begins (ETXTBSY).
    func run(answering: Bool) throws -> Process {
        let last = ContinuousClock.now + .seconds(60)
        while true {
            let process = Process()
            process.executableURL = root.appending(path: "Signed.app/App")
            process.arguments = ["-c", Self.script, root.appending(path: "apps.sock").path, "\(answering)"]
            process.environment = ["PYTHONHOME": "/usr"]
            process.standardOutput = output
            do {
                try process.run()
                return process
            } catch let error as NSError where Self.isOpenForWriting(error) && ContinuousClock.now < last {
                usleep(10_000)
            }
        }
    }

    private static func isOpenForWriting(_ error: NSError) -> Bool {
        let reason = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return reason.domain == NSPOSIXErrorDomain && reason.code == Int(ETXTBSY)
    }

    /// What it says next.
    func nextLine() async -> String? {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                done.resume(
                    returning: unread.withLock { unread in
                        while !unread.contains("\n") {
                            let more = output.fileHandleForReading.availableData
                            guard !more.isEmpty else { return nil }
                            unread += String(decoding: more, as: UTF8.self)
                        }
                        let line = unread.prefix { $0 != "\n" }
                        unread.removeFirst(line.count + 1)
                        return String(line)
                    })
            }
        }
    }

    /// What was refused so far, by reason.
    var refusals: [String: Int] {
        (ControlCommand.refusals(controlPath: root.appending(path: "control.sock").path) ?? [:])
            .filter { $0.value > 0 }
    }
}

/// Time that passes when a test says so.
final class UptimeClock: Sendable {
    private let time = Mutex<UInt64>(1)

    var now: UInt64 { time.withLock { $0 } }

    func advance(by nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }
}
