import Foundation
import Testing

/// What is installed is what its developer signed, and stays so: not even the app itself can change it (D7).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct InstalledFilesTests {
    private static let attempts = """
        import os, sys
        place = os.path.realpath(sys.argv[1]) if len(sys.argv) > 1 else os.path.dirname(os.readlink("/proc/self/exe"))
        information, part = place + "/Info.plist", place + "/Resources/part.txt"

        def write(path):
            with open(path, "a") as file: file.write("changed")

        ATTEMPTS = {
            "write": lambda: write(part),
            "list": lambda: write(place + "/_Package/list"),
            "cut": lambda: os.truncate(place + "/_Package/signature.p7s", 0),
            "open": lambda: os.chmod(information, 0o666),
            "take": lambda: os.chown(information, os.getuid() + 1, -1),
            "add": lambda: write(place + "/added.so"),
            "add-below": lambda: write(place + "/Resources/added"),
            "rename": lambda: os.rename(part, part + ".old"),
            "exchange": lambda: os.rename(place, place + ".old"),
            "beside": lambda: os.mkdir(os.path.dirname(place) + "/mine"),
            "home": lambda: write(os.environ["HOME"] + "/kept"),
        }
        for name, attempt in ATTEMPTS.items():
            try:
                attempt()
                print("did", name, flush=True)
            except OSError:
                print("failed", name, flush=True)
        print("end", flush=True)
        """

    @Test func anAppCannotChangeItsOwnInstalledFiles() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.0", program: SignedApp.python)
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.0")
            let before = try FileManager.default.subpathsOfDirectory(atPath: road.agentDirectory + "/managed-apps")
            func opened() async throws -> [String] {
                let app = try developer.viewer.open("-c", Self.attempts, environment: ["PYTHONHOME": "/usr"])
                _ = try await app.line("what came of it") {
                    $0 == "end" || $0.hasPrefix("martlet-agent: ")
                }
                return app.output.map(\.text)
            }
            let done = try await opened()
            #expect(done.filter { $0.hasPrefix("did ") } == ["did home"], "\(done)")
            #expect(done.count { $0.hasPrefix("failed ") } == 10)
            let after = try FileManager.default.subpathsOfDirectory(atPath: road.agentDirectory + "/managed-apps")
            #expect(after.sorted() == before.sorted())

            // Each of them is a way for who may; what then lies there is not opened.
            let script = road.home.appending(path: "attempts.py")
            try Data(Self.attempts.utf8).write(to: script)
            let place = URL(filePath: try road.managedProgram()).deletingLastPathComponent().path
            let root = try await road.shell(
                "HOME=. /usr/bin/python3 '\(script.path)' '\(place)'; mv '\(place).old' '\(place)'")
            for way in ["add", "add-below", "rename", "exchange", "beside", "home"] {
                #expect(root.contains("did \(way)\n"), "\(root)")
            }
            let last = try await opened()
            #expect(last.contains { $0.contains("not those that its team signed") }, "\(last)")
        }
    }
}
