import Foundation
import Testing

@testable import DeviceAgent

/// The homes of removed apps are removed as root, and belonged to apps that may have let anybody in: B3.
@Suite(.enabled(if: geteuid() == 0, "only root gives users"), .timeLimit(.minutes(10)))
struct AppRemovalTests {
    /// A home of its app, on a device of its own.
    private final class Home {
        let root: URL
        let accounts: AppAccounts
        let account: AppAccount

        init() throws {
            root = FileManager.default.temporaryDirectory.appending(path: "removal-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            accounts = try AppAccounts(directory: root.path, numbers: AppNumbers(directory: root.path + "/machine"))
            let app = AppBundle(
                directory: "/a", identifier: "com.example.removed", name: "A", version: "1", shortVersion: "1",
                executable: "/a/b")
            account = try accounts.account(of: app, signedBy: nil, openedBy: 0)
        }

        deinit {
            accounts.tidy()
            try? FileManager.default.removeItem(at: root)
        }

        /// Starts a program in Python with the home as its argument, as some user.
        func python(_ text: String, as user: UInt32, _ more: String...) throws -> (process: Process, output: Pipe) {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", text, account.home]
                + more
            process.standardOutput = output
            try process.run()
            return (process, output)
        }

        func remove() throws -> Int {
            try accounts.end("com.example.removed")
            var parts = 0
            while try accounts.removePart() { parts += 1 }
            return parts
        }

        /// What is left of it.
        var remains: [String] {
            get throws {
                try ["app-homes", "app-remains"].flatMap {
                    try FileManager.default.contentsOfDirectory(atPath: root.path + "/" + $0)
                }
            }
        }
    }

    /// Another user, whom the app let in, puts a link in a directory's place while root removes what lies beside it.
    ///
    /// He comes by paths, and by descriptors that he opened before.
    @Test(arguments: ["by path", "by descriptor"])
    func nobodyTurnsTheRemovalOfAHomeAgainstOtherFiles(_ way: String) throws {
        let home = try Home()
        let victim = home.root.appending(path: "victim")
        try FileManager.default.createDirectory(
            at: victim, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for number in 0..<20 { try Data().write(to: victim.appending(path: "note\(number)")) }
        let fill = try home.python(
            """
            import os, sys
            os.umask(0)
            os.chmod(sys.argv[1], 0o777)
            for place in range(8):
                os.mkdir(f"{sys.argv[1]}/{place}", 0o777)
                for number in range(1500):
                    os.close(os.open(f"{sys.argv[1]}/{place}/{number}", os.O_CREAT | os.O_WRONLY))
            """, as: home.account.user)
        fill.process.waitUntilExit()
        try #require(fill.process.terminationStatus == 0)
        let helper = try home.python(
            """
            import os, sys, time
            home, victim, way = sys.argv[1:]
            top = os.open(home, os.O_RDONLY)
            held = [os.open(f"{home}/{place}", os.O_RDONLY) for place in range(8)]
            print("ready", flush=True)
            swapped, until = set(), time.monotonic() + 20
            while time.monotonic() < until and len(swapped) < 8:
                left = [len(os.listdir(one)) for one in held]
                if min(left) == 1500:
                    continue
                for place in range(8):
                    if left[place] < 1500:
                        swapped.add(place)
                        continue
                    try:
                        if way == "by path":
                            os.rename(f"{home}/{place}", f"{home}/x{place}")
                            os.symlink(victim, f"{home}/{place}")
                        else:
                            os.rename(str(place), f"x{place}", src_dir_fd=top, dst_dir_fd=top)
                            os.symlink(victim, str(place), dir_fd=top)
                        swapped.add(place)
                    except OSError:
                        pass
            """, as: 1_000, victim.path, way)
        defer { helper.process.terminate() }
        _ = helper.output.fileHandleForReading.availableData
        #expect(try home.remove() > 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: victim.path).count == 20)
        #expect(try home.remains == [])
    }

    /// Deeper than any path can say, and more than is removed in one part.
    @Test func aHomeOfAnyDepthIsRemovedInParts() throws {
        let home = try Home()
        let fill = try home.python(
            """
            import os, sys
            os.chdir(sys.argv[1])
            for depth in range(6000):
                os.mkdir("d")
                os.symlink("/", "link")
                os.mkfifo("pipe")
                os.chdir("d")
                if depth % 100 == 0:
                    os.chmod(".", 0)
            """, as: 0)
        fill.process.waitUntilExit()
        try #require(fill.process.terminationStatus == 0)
        #expect(try home.remove() > 1)
        #expect(try home.remains == [])
    }

    /// What an administrator mounted into a home is not the app's.
    @Test func whatIsMountedInAHomeStays() throws {
        let home = try Home()
        let place = home.account.home + "/mounted"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(unsafe mount("tmpfs", place, "tmpfs", 0, "size=64k") == 0)
        try Data().write(to: URL(filePath: place + "/kept"))
        #expect(throws: LinuxFailure.self) { _ = try home.remove() }
        let moved = try FileManager.default.contentsOfDirectory(atPath: home.root.path + "/app-remains")
        let kept = home.root.path + "/app-remains/\(try #require(moved.first))/mounted"
        #expect(FileManager.default.fileExists(atPath: kept + "/kept"))
        try #require(unsafe umount2(kept, 2) == 0)
        _ = try home.remove()
        #expect(try home.remains == [])
    }
}
