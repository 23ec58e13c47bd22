import AppMessages
import CLinux
import DeviceAgent
import Foundation
import Logging
import Synchronization
import Testing
import Waiting

/// Launching apps and telling them apart, with real processes: the app is a shell script that writes to its socket.
@Suite(.timeLimit(.minutes(10)))
struct AppServiceTests {
    private static let getInformation = #"printf '{"method":"org.varlink.service.GetInfo"}\000' >&3"#

    @Test func anAppIsAnsweredOnTheSocketItInherits() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run("\(Self.getInformation); head -c 20 <&3")
        #expect(output.hasPrefix(#"{"parameters":{"#))
    }

    /// The exec-after-connect trick: the socket is the app's, the message comes from another process.
    @Test func aChildThatKeepsTheSocketIsRefused() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run("( \(Self.getInformation) ); cat <&3; echo end")
        #expect(output == "end\n")
    }

    /// The same trick the other way round: the launched process becomes a trusted program, its child keeps the socket.
    @Test func aChildThatOutlivesAnExecOfItsParentIsRefused() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run(
            "( sleep 0.2; \(Self.getInformation); cat <&3 | head -c 9; echo child-end ) & exec sleep 2")
        #expect(output == "child-end\n")
    }

    /// Once the app is gone nobody is served in its place, not even on the socket it had.
    @Test func aChildThatOutlivesTheAppIsRefused() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run(
            "( trap '' PIPE; sleep 0.3; \(Self.getInformation); cat <&3; echo child-end ) 2>&- & exit 0")
        #expect(output == "child-end\n")
    }

    @Test func anAppInheritsItsSocketAndNothingElse() async throws {
        let leaked = unsafe open("/dev/null", O_RDONLY)  // not closed on exec
        defer { close(leaked) }
        let fixture = try Fixture()
        let listing = AppBundle(
            directory: "/", identifier: Fixture.app, name: "List", version: "1", shortVersion: "1",
            executable: "/bin/ls")
        let output = try await fixture.run(listing, arguments: ["/proc/self/fd"])
        // The fifth is the directory that is being listed.
        #expect(output == "0\n1\n2\n3\n4\n")
    }

    @Test func anAppGetsNothingThatCouldBringForeignCode() async throws {
        let fixture = try Fixture()
        let environment = [
            "LD_PRELOAD": "/tmp/evil.so", "LD_LIBRARY_PATH": "/tmp", "GCONV_PATH": "/tmp", "MARTLET_AGENT_FD": "9",
            "KEPT": "yes", "PATH": "/usr/bin:/bin",
        ]
        let output = try await fixture.run("env; grep NoNewPrivs /proc/self/status", environment: environment)
        #expect(!output.contains("LD_") && !output.contains("GCONV_PATH"))
        #expect(output.contains("KEPT=yes\n") && output.contains("MARTLET_AGENT_FD=3\n"))
        #expect(output.contains("NoNewPrivs:\t1"))
    }

    /// B7: a process with a session's keyring may use its keys, even as another user.
    @Test func appsShareNoKeyringWithEachOtherNorWithTheAgent() async throws {
        let fixture = try Fixture()
        let tell = """
            exec python3 -c 'import ctypes, platform
            number = {"x86_64": 250, "aarch64": 219}[platform.machine()]
            print(ctypes.CDLL(None).syscall(number, 0, ctypes.c_long(-3), 0))'
            """
        var serials: Set<String> = []
        for _ in 0..<2 { serials.insert(try await fixture.run(tell, environment: ["PATH": "/usr/bin:/bin"])) }
        let ours = Process()
        let output = Pipe()
        ours.executableURL = URL(filePath: "/bin/sh")
        ours.arguments = ["-c", tell]
        ours.standardOutput = output
        try ours.run()
        serials.insert(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
        #expect(serials.count == 3, "\(serials)")
        #expect(serials.allSatisfy { (Int($0.trimmingCharacters(in: .newlines)) ?? 0) > 0 }, "\(serials)")
    }

    @Test func aProcessThatWasNotLaunchedIsRefused() throws {
        let fixture = try Fixture()
        let socket = unsafe clinux_connect(fixture.socketPath)
        #expect(socket >= 0)
        defer { close(socket) }
        let answer = read(from: socket)
        #expect(answer.contains("PermissionDenied"))
    }

    /// A process that connects during a restart of the agent waits for the next one; the socket's name stays.
    @Test func aHandedSocketOutlivesTheServiceThatAnswersOnIt() throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let path = root.appending(path: "apps.sock").path
        let held = unsafe clinux_listen(path, 0o600)
        defer { close(held) }
        for _ in 0..<2 {
            let early = unsafe clinux_connect(path)
            #expect(early >= 0)
            defer { close(early) }
            let service = Fixture.service(
                root, LaunchRecordsFile(path: root.appending(path: "launches.json").path), apps: [:],
                handed: [path: fcntl(held, F_DUPFD_CLOEXEC, 3)])
            try service.start()
            service.update([:])
            #expect(read(from: early).contains("PermissionDenied"))
            service.stop()
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func aLaunchIsOnRecordBeforeTheAppRunsAndForgottenAfterItsEnd() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run("cat '\(fixture.recordsPath)'; echo; echo $$")
        let lines = output.split(separator: "\n")
        let records = try JSONDecoder().decode([LaunchRecord].self, from: Data(try #require(lines.first).utf8))
        #expect(records.map(\.process) == [Int32(try #require(lines.last))])
        try await eventually("the launch is forgotten") { fixture.records.load().isEmpty }
    }

    /// A record from another boot, or of a reused process number, belongs to no process.
    @Test func aRecordThatNamesAnotherProcessIsNotTakenBack() throws {
        let directory = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let records = LaunchRecordsFile(path: directory.appending(path: "launches.json").path)
        var ticks: UInt64 = 0
        #expect(unsafe clinux_process_start(getpid(), &ticks) == 0)
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let right = LaunchRecord(bundleIdentifier: "a", process: getpid(), startTime: ticks, boot: boot)
        try records.save([
            right, LaunchRecord(bundleIdentifier: "b", process: getpid(), startTime: ticks + 1, boot: boot),
            LaunchRecord(bundleIdentifier: "c", process: getpid(), startTime: ticks, boot: "another"),
        ])
        let service = Fixture.service(directory, records, apps: [:])
        try service.start()
        defer { service.stop() }
        #expect(records.load() == [right])
    }

    @Test func connectionsOfOneAppAreBounded() async throws {
        let fixture = try Fixture(ourselves: true)
        let sockets = (0..<20).map { _ in unsafe clinux_connect(fixture.socketPath) }
        defer { for socket in sockets { close(socket) } }
        let call = AppCall.information.encoded()
        var answered = 0
        for socket in sockets {
            _ = unsafe call.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe clinux_send(socket, $0, bytes.count) }
            }
            if !read(from: socket).isEmpty { answered += 1 }
        }
        #expect(answered == 16)
    }

    @Test func whatIsNotACallEndsTheConnection() throws {
        let fixture = try Fixture(ourselves: true)
        for message in ["nonsense\0", "\0", String(repeating: "x", count: 100_000)] {
            let socket = unsafe clinux_connect(fixture.socketPath)
            defer { close(socket) }
            var text = message
            _ = text.withUTF8 { bytes in
                unsafe bytes.baseAddress.map { unsafe clinux_send_all(socket, $0, bytes.count, 240_000) }
            }
            #expect(read(from: socket) == "")
        }
    }

    /// A reader that pauses gets the newest state when it reads again, and nothing accumulates meanwhile.
    @Test func aSlowReaderGetsTheNewestStateAfterTheOneItWasAt() throws {
        let fixture = try Fixture(ourselves: true)
        func state(_ number: Int) -> AppState {
            AppState(
                managed: true, synchronised: true,
                configuration: Data(repeating: UInt8(number), count: 1_048_576), generation: number)
        }
        fixture.service.update([Fixture.app: state(0)])
        let socket = unsafe clinux_connect(fixture.socketPath)
        defer { close(socket) }
        let call = AppCall.watchConfiguration(trials: false).encoded()
        _ = unsafe call.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_send(socket, $0, bytes.count) }
        }
        var reader = FrameReader(limit: FrameReader.replyLimit)
        // The first byte shows that the first state is under way; the rest of it does not fit the socket.
        #expect(fill(&reader, from: socket, atMost: 1))
        for number in 1...40 { fixture.service.update([Fixture.app: state(number)]) }
        // The service has heard of all of them before the reader goes on.
        try fixture.settle()
        var generations: [Int] = []
        while generations.last != 40, fill(&reader, from: socket, atMost: 65_536) {
            while let message = try reader.next() {
                generations.append(try VarlinkReply<ConfigurationState>(parsing: message).result.get().generation)
            }
        }
        #expect(generations.first == 0 && generations.last == 40)
        #expect(generations == generations.sorted())
        #expect(generations.count < 20)
    }

    // MARK: help

    private func fill(_ reader: inout FrameReader, from socket: Int32, atMost count: Int) -> Bool {
        var chunk = [UInt8](repeating: 0, count: count)
        let length = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_read(socket, $0, bytes.count, 240_000) } ?? -1
        }
        guard length > 0 else { return false }
        reader.append(chunk.prefix(length))
        return true
    }

    // Everything up to the first end of a message, or of the connection.
    private func read(from socket: Int32) -> String {
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while fill(&reader, from: socket, atMost: 4_096) {
            if let message = try? reader.next() { return String(decoding: message, as: UTF8.self) }
        }
        return ""
    }
}

/// A service with one app that is a shell script.
final class Fixture: Sendable {
    static let app = "com.example.script"

    let service: AppService
    let records: LaunchRecordsFile
    let root: URL

    var socketPath: String { root.appending(path: "apps.sock").path }
    var controlPath: String { root.appending(path: "control.sock").path }
    var recordsPath: String { root.appending(path: "launches.json").path }

    /// What was refused so far, by reason.
    var refusals: [String: Int] {
        (ControlCommand.refusals(controlPath: controlPath) ?? [:]).filter { $0.value > 0 }
    }

    /// With `ourselves`, this process counts as the launched app; with a `clock`, time passes when the test says so.
    init(
        ourselves: Bool = false, role: ExtensionRole? = nil, script: String = "exit 0",
        secrets: [String: SecretContent] = [:],
        signingRoom: SigningRoom = SigningRoom(), at place: URL? = nil, handed: [String: Int32] = [:],
        reportsEvery: DispatchTimeInterval = .seconds(1), clock: UptimeClock? = nil,
        report: @escaping @Sendable ([ConfigurationReport]) throws -> Void = { _ in },
        whenRead: @escaping @Sendable (String) -> Void = { _ in }, feedback: FeedbackRoom? = nil,
        handedOver: @escaping @Sendable (ConfigurationHandOver) -> Void = { _ in }
    ) throws {
        root = try place ?? Self.directory()
        records = LaunchRecordsFile(path: root.appending(path: "launches.json").path)
        if ourselves {
            var ticks: UInt64 = 0
            #expect(unsafe clinux_process_start(getpid(), &ticks) == 0)
            let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            try records.save([
                LaunchRecord(
                    bundleIdentifier: Self.app, role: role, process: getpid(), startTime: ticks, boot: boot)
            ])
        }
        service = Self.service(
            root, records, apps: [Self.app: try Self.bundle(root, script)], secrets: secrets, signingRoom: signingRoom,
            handed: handed, reportsEvery: reportsEvery, clock: clock, report: report, whenRead: whenRead,
            feedback: feedback, handedOver: handedOver)
        try service.start()
        service.update([:])
    }

    deinit {
        service.stop()
        // Where an app was still running.
        unsafe clinux_unmount(root.path + "/app-files")
        try? FileManager.default.removeItem(at: root)
    }

    static func directory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    static func service(
        _ root: URL, _ records: LaunchRecordsFile, apps: [String: AppBundle], secrets: [String: SecretContent] = [:],
        signingRoom: SigningRoom = SigningRoom(), handed: [String: Int32] = [:],
        reportsEvery: DispatchTimeInterval = .seconds(1), clock: UptimeClock? = nil,
        report: @escaping @Sendable ([ConfigurationReport]) throws -> Void = { _ in },
        whenRead: @escaping @Sendable (String) -> Void = { _ in }, feedback: FeedbackRoom? = nil,
        handedOver: @escaping @Sendable (ConfigurationHandOver) -> Void = { _ in }
    ) -> AppService {
        AppService(
            socketPath: root.appending(path: "apps.sock").path, controlPath: root.appending(path: "control.sock").path,
            records: records, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            find: { apps[$0] }, report: report,
            secret: { digest in
                whenRead(digest)
                guard let content = secrets[digest] else { throw StoreRefusal.blobMissing }
                return content
            }, signingRoom: signingRoom, handed: handed, feedback: feedback, handedOver: handedOver,
            uptime: { clock?.now ?? DispatchTime.now().uptimeNanoseconds }, reportsEvery: reportsEvery)
    }

    static func bundle(_ root: URL, _ script: String) throws -> AppBundle {
        let executable = root.appending(path: UUID().uuidString)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: executable)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: executable.path)
        return AppBundle(
            directory: root.path, identifier: Self.app, name: "Script", version: "1", shortVersion: "1",
            executable: executable.path)
    }

    /// Runs a script as the app, and gathers what it and its children write.
    func run(
        _ script: String, environment: [String: String] = ["PATH": "/usr/bin:/bin"], wantsFiles: Bool = false
    ) async throws -> String {
        try await run(try Self.bundle(root, script), environment: environment, wantsFiles: wantsFiles)
    }

    /// Runs an app, and gathers what it and its children write.
    func run(
        _ bundle: AppBundle, arguments: [String] = [], environment: [String: String] = [:], wantsFiles: Bool = false
    ) async throws -> String {
        let output = Pipe()
        _ = try service.launch(
            bundle, arguments: arguments, environment: environment, wantsFiles: wantsFiles,
            standardOutput: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        return await withCheckedContinuation { done in
            Thread.detachNewThread {
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                done.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
