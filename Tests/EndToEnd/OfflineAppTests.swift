import Foundation
import Testing

/// Apps without a network, `MartletOffline`, and the groups that an administrator gives to all: the effect in a room.
///
/// An app that says nothing tries the same first: what another is refused, is refused by its launch.
@Suite(
    .serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"),
    .enabled(if: DeviceRoom.isPossible, "mount, network and process namespaces cannot be made here"),
    .enabled(if: DeviceRoom.letsUsersMakeNamespaces, "user namespaces cannot be made here"))
struct OfflineAppTests {
    /// A service of the machine, which is asked over TCP, at a path in `/run` and by an abstract name.
    private static let service = """
        import fcntl, os, socket, struct, time
        os.mkdir("/run/service")
        card = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        fcntl.ioctl(card, 0x8914, struct.pack("16sH22x", b"lo", 0x41))
        doors = [socket.create_server(("127.0.0.1", 4711))]
        for place in ["/run/service/socket", "\\0service"]:
            door = socket.socket(socket.AF_UNIX)
            door.bind(place)
            door.listen(9)
            doors.append(door)
        os.chmod("/run/service/socket", 0o666)
        print("service ready", flush=True)
        time.sleep(3600)
        """

    private static let attempts = """
        import os, socket
        def attempt(name, family, place):
            try:
                socket.socket(family).connect(place)
                print(name + ": done", flush=True)
            except OSError:
                print(name + ": refused", flush=True)
        attempt("network", socket.AF_INET, ("127.0.0.1", 4711))
        attempt("path", socket.AF_UNIX, "/run/service/socket")
        attempt("name", socket.AF_UNIX, "\\0service")
        attempt("agent", socket.AF_UNIX, os.environ["MARTLET_AGENT_SOCKET"])
        print("user:", os.getuid() == os.stat(os.environ["HOME"]).st_uid)
        open(os.environ["HOME"] + "/note", "w").write("kept")
        print("home:", open(os.environ["HOME"] + "/note").read())
        print("handed:", os.fstat(int(os.environ["MARTLET_AGENT_FD"])).st_mode & 0o170000 == 0o140000)
        """

    private static func script(_ program: String) -> String { "exec /usr/bin/python3 - <<'END'\n\(program)\nEND" }

    @Test func anOfflineAppReachesItsAgentAndNoNetworkNorService() async throws {
        try await DeviceRoom.with { room in
            try room.install("com.example.online", Self.script(Self.attempts))
            try room.install("com.example.offline", Self.script(Self.attempts), keys: ["MartletOffline": true])
            try room.install(
                "com.example.both", Self.script(Self.attempts), keys: ["MartletOffline": true, "MartletIsolated": true])
            let service = try room.start(
                "service",
                ["/bin/sh", "-c", "mount -t tmpfs none /run && exec /usr/bin/python3 -c \"$0\"", Self.service])
            _ = try await service.line(containing: "service ready")
            _ = try await room.startAgent(["appProcesses": 64])
            let own = ["agent: done", "user: True", "home: kept", "handed: True"]
            let online = try await room.open("com.example.online")
            #expect(online.lines == ["network: done", "path: done", "name: done"] + own)
            for identifier in ["com.example.offline", "com.example.both"] {
                let offline = try await room.open(identifier)
                #expect(offline.lines == ["network: refused", "path: refused", "name: refused"] + own, "\(identifier)")
            }
        }
    }

    /// Where the kernel refuses namespaces an app that needs none is launched, and an offline one is not.
    @Test func anOfflineAppIsNotLaunchedWithoutNamespaces() async throws {
        let confined = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Impostors/confined.py")
            .standardizedFileURL.path
        try await DeviceRoom.with { room in
            try room.install("com.example.online", "echo begun")
            try room.install("com.example.offline", "echo begun", keys: ["MartletOffline": true])
            let agent = try await room.startAgent([:], through: ["/usr/bin/python3", confined, "--namespaces"])
            let online = try await room.open("com.example.online")
            #expect(online.lines == ["begun"])
            let offline = try await room.open("com.example.offline")
            #expect(offline.status == 1 && !offline.lines.contains("begun"), "\(offline.lines)")
            let line = try await agent.line(containing: "an app could not be opened")
            #expect(line.text.contains("have a network and mounts of its own"), "\(line.text)")
            #expect(line.text.contains("user.max_user_namespaces"), "\(line.text)")
        }
    }

    /// Where apps share a user there is no right to take one from: the app is not launched, rather than with a network.
    @Test func anOfflineAppIsNotLaunchedWithoutAUserOfItsOwn() async throws {
        try await DeviceRoom.with { room in
            try room.install("com.example.offline", "echo begun", keys: ["MartletOffline": true])
            _ = try await room.startAgent(["appUsers": "shared"])
            let told = try await room.open("com.example.offline")
            #expect(told.status == 1 && !told.lines.contains("begun"), "\(told.lines)")
            #expect(told.lines.contains { $0.contains("without a network") }, "\(told.lines)")
        }
    }

    /// The groups of the agent's settings are those of each app, offline or not, and no others are.
    @Test func anAppIsInTheGroupsOfTheAgentsSettingsAlone() async throws {
        let script = "echo $(sed -n 's/^Groups:\\s*//p' /proc/self/status)"
        try await DeviceRoom.with { room in
            try room.install("com.example.online", script)
            try room.install("com.example.file", "cat \(room.home.path)/ours", keys: ["MartletOffline": true])
            let file = room.home.appending(path: "ours")
            try Data("ours\n".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.groupOwnerAccountID: 4_711, .posixPermissions: 0o640], ofItemAtPath: file.path)
            _ = try await room.startAgent(["appGroups": ["4711", "4712"]])
            let online = try await room.open("com.example.online")
            #expect(online.lines == ["4711 4712"])
            let offline = try await room.open("com.example.file")
            #expect(offline.lines == ["ours"])
        }
    }
}
