import AppPackages
import CLinux
import CraftedPackages
import Foundation
import Logging
import Synchronization
import Testing

@testable import DeviceAgent

/// Programs that are exchanged for others while they are looked at, and processes that the agent did not launch: D7.
///
/// The processes are real; the moment between a look and what follows from it is held open.
@Suite(.timeLimit(.minutes(10)))
struct StrangerTests {
    private let root: URL
    private let team: Team
    private let python = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath()

    init() throws {
        root = try Fixture.directory()
        team = try Team("Team")
    }

    /// An app of a signed package whose program is a copy of this one.
    private func install(_ program: URL) throws -> AppBundle {
        var craft = Craft()
        craft.files[1].content = Array(try Data(contentsOf: program))
        let place = root.appending(path: "Signed.app").path
        _ = try VerifiedPackage.unpack(
            PackageBytes(try craft.bytes(by: team)), to: place, trust: try TeamTrust([team.certificateDER]),
            now: Team.now)
        return AppBundle(
            directory: place, identifier: "com.example.app", name: "App", version: "1", shortVersion: "1",
            executable: place + "/App")
    }

    private static let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Somebody who may write where the agent may puts another program in the place of the one that was just found good.
    @Test func aProgramThatIsExchangedBetweenTheLookAndTheLaunchIsEnded() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = try install(URL(filePath: "/bin/sleep").resolvingSymlinksInPath())
        let certificate = team.certificateDER
        let records = LaunchRecordsFile(path: root.appending(path: "launches.json").path)
        let launcher = AppLauncher(
            socketPath: root.appending(path: "apps.sock").path, store: records, accounts: nil,
            files: AppFiles(directory: root.path, runtime: nil, log: Self.log) { _ in throw StoreRefusal.blobMissing },
            seals: AppSeals(teams: { KnownTeams(certificates: [certificate]) }), isForDevelopment: false,
            closer: DescriptorCloser())
        let seal = try launcher.seals.check(bundle)
        #expect(seal?.team == "TEAM123456")
        func launch() throws -> AppLauncher.Launched {
            try launcher.launch(
                bundle, sealed: seal, openedBy: geteuid(), arguments: ["600"], environment: [:], standard: (0, 1, 2))
        }
        let honest = try launch()
        #expect(records.load() == [honest.record])
        Self.end(honest)
        try launcher.forget(honest.record)

        try FileManager.default.removeItem(atPath: bundle.executable)
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: bundle.executable)
        let refusal = #expect(throws: SealRefusal.self) { Self.end(try launch()) }
        #expect(refusal == .changed)
        #expect(records.load().isEmpty)
    }

    /// A program that has ended before it is looked at, as many do on a busy device, is judged by the file it was launched
    /// from.
    @Test func aProgramThatHasEndedIsTheOneThatWasLaunched() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = try install(URL(filePath: "/bin/true").resolvingSymlinksInPath())
        let seal = try #require(try AppSeals().check(bundle))
        let ended = Process()
        ended.executableURL = URL(filePath: bundle.executable)
        try ended.run()
        ended.waitUntilExit()
        func identity() -> FileIdentity? {
            RunningProgram.identity(of: ended.processIdentifier, launchedFrom: bundle.executable)
        }
        #expect(identity() == seal.program)
        try FileManager.default.moveItem(atPath: bundle.executable, toPath: bundle.executable + ".away")
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: bundle.executable)
        #expect(identity() != seal.program, "another file lies there")
        try FileManager.default.removeItem(atPath: bundle.executable)
        #expect(identity() == nil)
        try FileManager.default.moveItem(atPath: bundle.executable + ".away", toPath: bundle.executable)
        #expect(identity() != seal.program, "it was away meanwhile")
    }

    private static func end(_ launched: AppLauncher.Launched) {
        clinux_process_signal(launched.processDescriptor, SIGKILL)
        var status: Int32 = 0
        var signal: Int32 = 0
        while unsafe clinux_process_collect(launched.processDescriptor, &status, &signal) == 0 { usleep(1_000) }
        close(launched.processDescriptor)
        close(launched.socket)
    }

    /// The same process, the same program, the same user, and alive: without one of these it is another.
    @Test func aProcessIsItselfWhileAllThatWasSeenOfItIsSo() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "read word; exec sleep 600"]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        var peer = clinux_peer()
        (peer.pid, peer.uid) = (process.processIdentifier, geteuid())
        peer.pidfd = clinux_process_open(process.processIdentifier)
        defer { close(peer.pidfd) }
        // Foundation's own steps between fork and exec come first.
        let shell = try #require(realPath("/bin/sh"))
        try waits { path(of: peer.pid) == shell }
        let seen = try #require(RunningProgram(of: peer))
        func isItself(as user: UInt32? = geteuid()) -> Bool {
            seen.isStillRun(by: peer.pid, descriptor: peer.pidfd, as: user)
        }
        #expect(seen.path == shell && isItself())
        #expect(!isItself(as: geteuid() + 1) && !isItself(as: nil))
        try input.fileHandleForWriting.write(contentsOf: Data("go on\n".utf8))
        try waits { path(of: peer.pid) != shell }
        #expect(!isItself(), "it runs another program")
        let now = try #require(RunningProgram(of: peer))
        #expect(now != seen && now.isStillRun(by: peer.pid, descriptor: peer.pidfd, as: geteuid()))
        kill(peer.pid, SIGKILL)
        process.waitUntilExit()
        #expect(!now.isStillRun(by: peer.pid, descriptor: peer.pidfd, as: geteuid()))
        // By the number of another process that runs the program nobody has come back.
        let sleeps = Process()
        sleeps.executableURL = URL(filePath: now.path)
        sleeps.arguments = ["600"]
        try sleeps.run()
        defer { kill(sleeps.processIdentifier, SIGKILL) }
        let other = sleeps.processIdentifier
        try waits { path(of: other) == now.path }
        #expect(!now.isStillRun(by: other, descriptor: peer.pidfd, as: geteuid()))
    }

    /// The files of a removed app go while its processes still end: they are trusted no more, and became nothing else.
    @Test func aProgramWhoseFileIsRemovedHasNotBecomeAnother() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = try install(URL(filePath: "/bin/sh").resolvingSymlinksInPath())
        let process = Process()
        process.executableURL = URL(filePath: bundle.executable)
        process.arguments = ["-c", "read word; exec sleep 600"]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        var peer = clinux_peer()
        (peer.pid, peer.uid) = (process.processIdentifier, geteuid())
        peer.pidfd = clinux_process_open(peer.pid)
        defer { close(peer.pidfd) }
        let program = try #require(realPath(bundle.executable))
        try waits { path(of: peer.pid) == program }
        let seen = try #require(RunningProgram(of: peer))
        func isStillRun() -> Bool { seen.isStillRun(by: peer.pid, descriptor: peer.pidfd, as: geteuid()) }
        #expect(isStillRun() && !seen.isRemoved(under: peer.pid))
        try FileManager.default.removeItem(atPath: bundle.executable)
        #expect(!isStillRun() && seen.isRemoved(under: peer.pid))
        try input.fileHandleForWriting.write(contentsOf: Data("go on\n".utf8))
        try waits { path(of: peer.pid).map { !$0.hasPrefix(program) } ?? false }
        #expect(!isStillRun() && !seen.isRemoved(under: peer.pid), "it runs another program")
    }

    /// Whom a team that is known here signed is asked who it is; whoever else is nobody, also one that was that program
    /// when it was looked at.
    @Test(arguments: [(true, false), (false, false), (true, true)])
    func onlyAProgramOfAKnownTeamThatStillRunsIsAskedWhoItIs(isKnown: Bool, becomesAnother: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = try install(python)
        let looked = root.appending(path: "looked")
        let started = Mutex<Int32>(0)
        let certificates = isKnown ? [team.certificateDER] : []
        let (socket, control) = (root.appending(path: "a.sock").path, root.appending(path: "c.sock").path)
        let service = AppService(
            socketPath: socket, controlPath: control,
            records: LaunchRecordsFile(path: root.appending(path: "launches.json").path), log: Self.log,
            find: { _ in nil },
            program: { place in
                guard place == bundle.executable else { return nil }
                try? Data().write(to: looked)
                // Its program was looked at; what it is now is found out when the app's files have been compared.
                while becomesAnother, started.withLock({ $0 == 0 || path(of: $0) == place }) { usleep(1_000) }
                return bundle
            }, teams: { KnownTeams(certificates: certificates) }, report: { _ in })
        try service.start()
        defer { service.stop() }
        service.update([:])

        let asks = """
            import socket, sys
            end = socket.socket(fileno=int(sys.argv[1]))
            try: end.sendall(b'{"method":"dev.martlet.App.GetStatus"}' + bytes(1))
            except OSError: pass
            end.settimeout(600)
            print(end.recv(65536), flush=True)
            """
        let connects = """
            import os, socket, sys, time
            end = socket.socket(socket.AF_UNIX)
            end.connect(sys.argv[1])
            end.set_inheritable(True)
            while not os.path.exists(sys.argv[2]): time.sleep(0.001)
            if sys.argv[3]: os.execv(sys.argv[3], [sys.argv[3], "-c", sys.argv[4], str(end.fileno())])
            sys.argv[1:] = [str(end.detach())]
            exec(asks)
            """
        let process = Process()
        process.executableURL = URL(filePath: bundle.executable)
        process.arguments = [
            "-c", "asks = '''\(asks)'''\n" + connects, socket, looked.path, becomesAnother ? python.path : "", asks,
        ]
        process.environment = ["PYTHONHOME": "/usr"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        started.withLock { $0 = process.processIdentifier }
        let told = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let counts = (ControlCommand.refusals(controlPath: control) ?? [:]).filter { $0.value > 0 }
        if isKnown && !becomesAnother {
            #expect(told.contains("dev.martlet.App.IdentificationNeeded"), "\(told)")
            #expect(counts.isEmpty)
        } else {
            #expect(told.contains("org.varlink.service.PermissionDenied"), "\(told)")
            #expect(counts == ["stranger": 1])
        }
    }
}

/// The file that a process runs.
private func path(of process: Int32) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
}

private func realPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

private func waits(_ condition: () -> Bool) throws {
    for _ in 0..<240_000 {
        if condition() { return }
        usleep(1_000)
    }
    Issue.record("it never came to be so")
}
