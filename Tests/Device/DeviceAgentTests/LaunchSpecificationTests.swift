import CLinux
import Foundation
import Testing
import Waiting

@testable import DeviceAgent

/// What a launched process is given, and that it does not run without a part of it.
@Suite(.timeLimit(.minutes(10)))
struct LaunchSpecificationTests {
    // No app has it.
    private static let user: UInt32 = 1_899_999_999

    private static let letsUsersMakeNamespaces: Bool = {
        let look = Process()
        look.executableURL = URL(filePath: "/usr/bin/unshare")
        look.arguments = ["--user", "--map-root-user", "--mount", "--net", "/bin/true"]
        look.standardError = FileHandle.nullDevice
        guard geteuid() == 0, (try? look.run()) != nil else { return false }
        look.waitUntilExit()
        return look.terminationStatus == 0
    }()

    /// Mounts are made read-only by a call of Linux 5.12.
    private static let letsMountsBeReadOnly = ProcessInfo.processInfo.isOperatingSystemAtLeast(
        OperatingSystemVersion(majorVersion: 5, minorVersion: 12, patchVersion: 0))

    /// Whether every user may go through the directories that lead to temporary files.
    private static let isTemporaryDirectoryOpen: Bool = {
        var path = FileManager.default.temporaryDirectory.standardizedFileURL.resolvingSymlinksInPath().path
        while path.count > 1 {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let mode = attributes?[.posixPermissions] as? NSNumber, mode.intValue & 0o001 != 0 else {
                return false
            }
            path = (path as NSString).deletingLastPathComponent
        }
        return true
    }()

    /// What a shell script prints, or another program, that is launched with what `give` says.
    private static func printed(
        _ script: String, program: String = "/bin/sh", _ give: (inout LaunchSpecification) -> Void
    ) throws -> [String] {
        let output = Pipe()
        let writing = output.fileHandleForWriting.fileDescriptor
        var specification = LaunchSpecification(
            program: program, directory: "/", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"],
            standard: (0, writing, writing))
        give(&specification)
        let waiting = try specification.begin()
        try output.fileHandleForWriting.close()
        defer { collect(waiting) }
        try waiting.release()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    private static func collect(_ waiting: WaitingLaunch) {
        clinux_process_signal(waiting.descriptor, SIGKILL)
        var status: Int32 = 0
        var signal: Int32 = 0
        while unsafe clinux_process_collect(waiting.descriptor, &status, &signal) == 0 { usleep(1_000) }
        close(waiting.descriptor)
    }

    private static func refusal(_ give: @escaping (inout LaunchSpecification) -> Void) -> LaunchRefusal? {
        let refusal = #expect(throws: LaunchRefusal.self) { _ = try Self.printed("echo begun", give) }
        return refusal
    }

    /// What another thread starts holds the files open that the agent writes, until its own program begins.
    @Test func aProgramThatIsStillOpenForWritingBeginsWhenItIsClosed() throws {
        let directory = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let program = directory.appending(path: "program")
        try Data("#!/bin/sh\necho begun\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let writer = try FileHandle(forWritingTo: program)
        Thread.detachNewThread {
            usleep(100_000)
            try? writer.close()
        }
        let lines = try Self.printed("", program: program.path) { _ in }
        #expect(lines == ["begun"])
    }

    /// A program finds a descriptor by its variable's number, in the order in which they were handed over.
    @Test func aDescriptorThatIsHandedOverHasTheNumberThatItsVariableSays() throws {
        let pipes = [Pipe(), Pipe()]
        let script = "echo one >&$FIRST; echo two >&$SECOND; echo $FIRST $SECOND; ls /proc/$$/fd; :"
        let lines = try Self.printed(script) { specification in
            specification.hand(pipes[0].fileHandleForWriting.fileDescriptor, as: "FIRST")
            specification.hand(pipes[1].fileHandleForWriting.fileDescriptor, as: "SECOND")
        }
        for pipe in pipes { try pipe.fileHandleForWriting.close() }
        let told = pipes.map { pipe in
            String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        #expect(told == ["one\n", "two\n"])
        #expect(lines == ["3 4", "0", "1", "2", "3", "4"], "the program has no other")
    }

    /// A process that hangs does not hold up the thread that serves the apps; killed, it is collected.
    @Test func aProcessThatDoesNotBeginInTimeIsRefusedAndCollected() async throws {
        let specification = LaunchSpecification(
            program: "/bin/true", directory: "/", arguments: [], environment: [:], standard: (0, 1, 2))
        let waiting = try specification.begin()
        try freeze(waiting.process)
        let refusal = #expect(throws: LaunchRefusal.self) { try waiting.release(within: .milliseconds(20)) }
        #expect(refusal == LaunchRefusal(step: .release, number: ETIMEDOUT))
        let reaper = LaunchReaper()
        reaper.end(waiting)
        try await eventually("it is collected") { reaper.left.isEmpty }
        let collected = waitpid(waiting.process, nil, WNOHANG)
        #expect(collected == -1, "nothing of it is left to collect")
    }

    /// One that the system keeps for a while is collected once it ends, and no caller waits for that.
    @Test func aProcessThatEndsLaterIsCollectedThen() async throws {
        let specification = LaunchSpecification(
            program: "/bin/sleep", directory: "/", arguments: ["600"], environment: [:], standard: (0, 1, 2))
        let waiting = try specification.begin()
        try waiting.release()
        let reaper = LaunchReaper()
        reaper.collect(waiting.process)
        #expect(reaper.left == [waiting.process])
        clinux_process_signal(waiting.descriptor, SIGKILL)
        close(waiting.descriptor)
        try await eventually("it is collected") { reaper.left.isEmpty }
        let collected = waitpid(waiting.process, nil, WNOHANG)
        #expect(collected == -1, "nothing of it is left to collect")
    }

    /// What needs a user of the app's own is refused without one, and what is too much is.
    @Test func whatCannotBeGivenIsRefusedAtItsStep() {
        let groups = Self.refusal { specification in specification.groups = [4_711] }
        #expect(groups == LaunchRefusal(step: .groups, number: EINVAL))
        let network = Self.refusal { specification in specification.network = .own }
        #expect(network == LaunchRefusal(step: .namespaces, number: EINVAL))
        let mounts = Self.refusal { specification in
            specification.mounts = [LaunchMount(path: "/run", isReadOnly: true)]
        }
        #expect(mounts == LaunchRefusal(step: .namespaces, number: EINVAL))
        let many = Self.refusal { specification in
            for number in 1...17 { specification.hand(0, as: "NUMBER_\(number)") }
        }
        #expect(many == LaunchRefusal(step: .descriptors, number: E2BIG))
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func aProcessIsInTheGroupsThatItIsGivenAlone() throws {
        func groups(_ numbers: [UInt32]) throws -> Set<String> {
            let lines = try Self.printed("id -G") { specification in
                specification.user = Self.user
                specification.groups = numbers
            }
            return Set(lines.flatMap { $0.split(separator: " ").map(String.init) })
        }
        #expect(try groups([]) == ["\(Self.user)"])
        #expect(try groups([4_711, 4_712]) == ["\(Self.user)", "4711", "4712"])
    }

    /// Its own network has nothing in it, and the process no right there.
    @Test(.enabled(if: letsUsersMakeNamespaces, "only root gives users, and user namespaces cannot be made everywhere"))
    func aProcessWithANetworkOfItsOwnHasNoRightInIt() throws {
        // Its routes, of which the first line is the heading.
        let script = """
            readlink /proc/self/ns/net
            tail -n +2 /proc/net/route
            grep CapEff /proc/self/status
            id -u
            """
        let lines = try Self.printed(script) { specification in
            specification.user = Self.user
            specification.network = .own
            // Fewer than root has: its own are counted, not root's.
            specification.limits = AppLimits(processes: 16)
        }
        let ours = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        let network = try #require(lines.first)
        #expect(network.hasPrefix("net:") && network != ours)
        #expect(Array(lines.dropFirst()) == ["CapEff:\t0000000000000000", "\(Self.user)"])
    }

    /// What is mounted for a process is seen by it alone, in memory as well as from elsewhere.
    @Test(
        .enabled(if: letsUsersMakeNamespaces, "only root gives users, and user namespaces cannot be made everywhere"),
        .enabled(if: letsMountsBeReadOnly, "the kernel is older than Linux 5.12 and makes no mount read-only"),
        .enabled(if: isTemporaryDirectoryOpen, "other users may not enter TMPDIR, where the test has its directories"))
    func aProcessAloneSeesWhatIsMountedForIt() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-mounts-\(UUID().uuidString)")
        let (kept, own) = (root.appending(path: "kept"), root.appending(path: "own"))
        for directory in [kept, own] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: root) }
        try Data("kept\n".utf8).write(to: kept.appending(path: "note"))
        for directory in [root, kept, own] {
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
        }
        let place = "martlet-\(UUID().uuidString)"
        let script = """
            ls /run /run/\(place)
            cat /run/\(place)/kept/note
            for directory in /run /run/\(place)/kept /run/\(place)/own; do
                touch $directory/new 2>/dev/null && echo changed || echo refused
            done
            """
        let lines = try Self.printed(script) { specification in
            specification.user = Self.user
            specification.mounts = [
                LaunchMount(path: "/run", isReadOnly: true),
                LaunchMount(path: "/run/\(place)/kept", source: kept.path, isReadOnly: true),
                LaunchMount(path: "/run/\(place)/own", source: own.path, isReadOnly: false),
            ]
        }
        let names = ["/run:", place, "/run/\(place):", "kept", "own"]
        #expect(lines == names + ["kept", "refused", "refused", "changed"])
        #expect(!FileManager.default.fileExists(atPath: "/run/" + place))
        #expect(FileManager.default.fileExists(atPath: own.path + "/new"))
        #expect(!FileManager.default.fileExists(atPath: kept.path + "/new"))
        let missing = Self.refusal { specification in
            specification.user = Self.user
            specification.mounts = [LaunchMount(path: "/run", source: root.path + "/none", isReadOnly: true)]
        }
        #expect(missing == LaunchRefusal(step: .mounts, number: ENOENT))
    }

    /// Of what an app is given only that is mounted which lies where services have their sockets, the outer first.
    @Test func anAppWithoutServicesKeepsWhatItIsGiven() {
        let agent = "/run/martlet-none/agent"
        let mounts = LaunchMount.withoutServices(
            keeping: ["/var/lib/martlet-none", agent, "/runner"], own: [agent + "/app-homes/a"])
        #expect(
            mounts == [
                LaunchMount(path: "/run", isReadOnly: true),
                LaunchMount(path: agent, source: agent, isReadOnly: true),
                LaunchMount(path: agent + "/app-homes/a", source: agent + "/app-homes/a", isReadOnly: false),
            ])
    }

    /// No app is in root's group, or in one of another app.
    @Test func appsAreInGroupsOfTheMachineAlone() {
        for name in ["root", "0", "1900000000", "no such group", ""] {
            #expect(AppGroups.number(of: name) == nil, "\(name)")
        }
        #expect(AppGroups.number(of: "4711") == 4_711)
    }
}
