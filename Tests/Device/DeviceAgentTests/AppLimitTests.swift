import Foundation
import Testing

@testable import DeviceAgent

/// How much of the machine one app may take: B13.
@Suite(.timeLimit(.minutes(10)))
struct AppLimitTests {
    /// One that starts processes without end comes to its own end of them, and the next app to none.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anAppThatStartsProcessesWithoutEndKeepsNobodyElseFromIt() async throws {
        let apps = try AppsWithUsers(limits: AppLimits(processes: 24))
        defer { apps.end() }
        let bomb = try apps.start(
            "com.example.bomb",
            """
            import os, time
            started = 0
            try:
                while started < 200:
                    if os.fork() == 0:
                        time.sleep(600)
                        os._exit(0)
                    started += 1
            except OSError:
                pass
            print(started, flush=True)
            time.sleep(600)
            """)
        let started = bomb.line()
        // The limit counts the app's own processes, of which the starting one is not the only one at every moment.
        #expect((20...23).contains(Int(started.dropLast()) ?? 0), "\(started)")
        let calm = try apps.start("com.example.calm", "import os; os.wait() if os.fork() else None; print('here')")
        let said = String(decoding: calm.readDataToEndOfFile(), as: UTF8.self)
        #expect(said == "here\nhere\n")
    }

    /// Its user bounds an app as well: that holds also where the kernel's controller does not bound its cgroup.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anAppsUserHasNoMoreProcessesWhateverBoundsItsCgroup() throws {
        let apps = try AppsWithUsers(limits: AppLimits(processes: 24))
        defer { apps.end() }
        let app = try apps.start(
            "com.example.bounded", "import resource; print(*resource.getrlimit(resource.RLIMIT_NPROC))")
        #expect(String(decoding: app.readDataToEndOfFile(), as: UTF8.self) == "24 24\n")
    }

    private static let tellFileBounds = """
        import resource
        print(*resource.getrlimit(resource.RLIMIT_NOFILE), *resource.getrlimit(resource.RLIMIT_FSIZE))
        """

    /// An app cannot raise what bounds its files: both of its limits are set before its first instruction.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anAppHasAsManyFilesOpenAndAsLargeOnesAsItIsGiven() throws {
        let apps = try AppsWithUsers(limits: AppLimits(openFiles: 100, fileSize: 3 << 20))
        defer { apps.end() }
        let told = try apps.start("com.example.told", Self.tellFileBounds)
        #expect(String(decoding: told.readDataToEndOfFile(), as: UTF8.self) == "100 100 3145728 3145728\n")
        let writer = try apps.start(
            "com.example.writer",
            """
            import os, signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            with open(os.environ["HOME"] + "/large", "wb", buffering=0) as file:
                file.truncate(3 << 20)
                file.seek(0, 2)
                try:
                    file.write(b"x")
                    print("grown")
                except OSError:
                    print("refused")
            """)
        #expect(String(decoding: writer.readDataToEndOfFile(), as: UTF8.self) == "refused\n")
    }

    /// A bound only takes away: one above the agent's own leaves that, and the app is launched.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func aBoundAboveTheAgentsOwnRaisesNothing() throws {
        func told(_ limits: AppLimits) throws -> String {
            let apps = try AppsWithUsers(limits: limits)
            defer { apps.end() }
            let output = try apps.start("com.example.told", Self.tellFileBounds)
            return String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        }
        let own = try told(AppLimits())
        #expect(!own.isEmpty)
        #expect(try told(AppLimits(openFiles: 1 << 40)) == own)
    }

    /// Where the service manager has put the agent into a child of what is delegated to it, and in the root.
    @Test(arguments: [("/unit/agent", true), ("/", true), ("/unit", false)])
    func controllersBoundAppsWhereTheKernelLetsThem(_ place: String, _ isBounded: Bool) throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        // As the kernel's files are, which are there before anybody writes to them.
        let delegated = place == "/" ? root : root.appending(path: "unit")
        let base = delegated.appending(path: "apps")
        let group = base.appending(path: "com.example.a+0@unsigned")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        for directory in [delegated, base] {
            try Data("cpu memory pids\n".utf8).write(to: directory.appending(path: "cgroup.controllers"))
            try Data().write(to: directory.appending(path: "cgroup.subtree_control"))
        }
        if isBounded { for file in ["pids.max", "memory.max"] { try Data().write(to: group.appending(path: file)) } }
        let cgroups = try #require(
            AppCgroups(
                "apps", limits: AppLimits(processes: 24, memory: 1 << 30),
                mounts: "41 31 0:38 / \(root.path) rw - cgroup2 cgroup2 rw\n", own: "0::\(place)\n"))
        #expect(try cgroups.group("com.example.a+0@unsigned").path == group.path)
        func text(_ file: URL) -> String? { try? String(contentsOf: file, encoding: .utf8) }
        for directory in [delegated, base] {
            let enabled = text(directory.appending(path: "cgroup.subtree_control"))
            // A file of the kernel's takes each by itself.
            #expect(enabled == (isBounded ? "+memory" : ""))
        }
        #expect(text(group.appending(path: "pids.max")) == (isBounded ? "24" : nil))
        #expect(text(group.appending(path: "memory.max")) == (isBounded ? "1073741824" : nil))
    }
}
