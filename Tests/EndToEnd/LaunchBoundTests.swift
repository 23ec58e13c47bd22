import Foundation
import Testing
import Waiting

/// The bounds that the agent's settings set for an app: B13.
///
/// The device is a room: what an agent with fewer rights does there has no effect outside of it.
@Suite(
    .serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"),
    .enabled(if: DeviceRoom.isPossible, "mount, network and process namespaces cannot be made here"))
struct LaunchBoundTests {
    private static let app = "com.example.bound"

    /// The limits of a process, soft and hard, as the kernel lists them.
    private static func limit(_ name: String, _ lines: [String]) -> [String] {
        guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return [] }
        return line.dropFirst(name.count).split(separator: " ").prefix(2).map(String.init)
    }

    /// The processes whose arguments name a path.
    private static func processes(naming path: String) -> [Int32] {
        let named = Data(path.utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).filter {
            guard $0 != getpid(), let file = FileHandle(forReadingAtPath: "/proc/\($0)/cmdline") else { return false }
            return (try? file.readToEnd())?.range(of: named) != nil
        }
    }

    @Test func anAppBeginsWithTheBoundsOfTheAgentsSettings() async throws {
        var home = ""
        try await DeviceRoom.with { room in
            try room.install(Self.app, "cat /proc/self/limits; readlink /proc/self/ns/net")
            home = room.home.path
            _ = try await room.startAgent(["appOpenFiles": 200, "appFileSize": 2, "appProcesses": 64])
            let told = try await room.open(Self.app)
            #expect(told.status == 0, "\(told.lines)")
            #expect(Self.limit("Max open files", told.lines) == ["200", "200"], "\(told.lines)")
            #expect(Self.limit("Max file size", told.lines) == ["2097152", "2097152"], "\(told.lines)")
            #expect(Self.limit("Max processes", told.lines) == ["64", "64"], "\(told.lines)")
            let ours = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
            #expect(told.lines.last?.hasPrefix("net:") == true && told.lines.last != ours, "\(told.lines)")
        }
        let place = home
        try await eventually("the agent ends with its room") { Self.processes(naming: place).isEmpty }
    }

    /// If the agent may not take a step of the launch, it does not start the app.
    @Test(
        arguments: [
            (["/usr/bin/python3", confined], "bound its processes and files", "setrlimit"),
            (["/usr/bin/setpriv", "--bounding-set=-setgid"], "leave the agent's groups", "CAP_SETGID"),
        ])
    func anAppWhoseLaunchCannotTakeAStepIsNotLaunched(
        through programs: [String], step: String, advice: String
    ) async throws {
        try await DeviceRoom.with { room in
            try room.install(Self.app, "echo begun")
            let agent = try await room.startAgent(["appOpenFiles": 200], through: programs)
            let told = try await room.open(Self.app)
            #expect(told.status == 1 && !told.lines.contains("begun"), "\(told.lines)")
            #expect(told.lines.contains { $0.contains("the agent's log says why") }, "\(told.lines)")
            let line = try await agent.line(containing: "an app could not be opened")
            #expect(line.text.contains(step) && line.text.contains(advice), "\(line.text)")
        }
    }

    private static let confined = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Impostors/confined.py").standardizedFileURL.path
}
