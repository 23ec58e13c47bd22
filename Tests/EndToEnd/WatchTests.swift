import Foundation
import Testing

/// Lists that go on (`--watch`).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct WatchTests {
    /// A program reads one object for each change; the server is asked only whether there is any.
    @Test func programsGetALineForEachChangeAndTheServerLittleWork() async throws {
        let port = Int.random(in: 20_000..<30_000)
        try await Road.with(options: ["--metrics", "127.0.0.1:\(port)"]) { road in
            let watch = try RunningProcess(
                "martlet", Road.binary("martlet"), ["group", "list", "--watch"],
                environment: Road.environment(road.home))
            road.keep(watch)
            _ = try await watch.line(containing: #"{"change":"added","item":{"deviceCount":0,"name":"teachers"}}"#)
            try await road.martlet("group", "create", "pupils")
            let added = try await watch.line(containing: #""name":"pupils""#)
            #expect(added.text.hasPrefix(#"{"change":"added""#))
            try await road.martlet("group", "delete", "pupils")
            let removed = try await watch.line(containing: #"{"change":"removed""#, after: added.index + 1)
            #expect(removed.text.contains("pupils"))
            let quiet = watch.mark
            try await Task.sleep(for: .milliseconds(3_500))
            #expect(watch.mark == quiet, "nothing changed, nothing is said")
            let counted = try await road.shell(
                "curl -sSf http://127.0.0.1:\(port)/metrics | grep requests_total | grep administrators | grep 3xx")
            let unchanged = Int(counted.split(separator: " ").last ?? "") ?? 0
            #expect((2...60).contains(unchanged), "\(counted)")
            try await road.stop(road.server)
            _ = try await watch.line(containing: "Trying again")
            try await road.startServer()
            try await road.martlet("group", "create", "back")
            _ = try await watch.line(containing: #""name":"back""#)
        }
    }

    /// On a terminal the whole is painted anew.
    @Test func aTerminalIsPaintedAgain() async throws {
        try await Road.with { road in
            let watch = try RunningProcess(
                "script", URL(filePath: "/usr/bin/script"),
                ["-qefc", "\(Road.binary("martlet").path) group list --watch", "/dev/null"],
                environment: Road.environment(road.home))
            road.keep(watch)
            _ = try await watch.line(containing: "teachers")
            let mark = watch.mark
            try await road.martlet("group", "create", "pupils")
            _ = try await watch.line(containing: "pupils", after: mark)
            let painted = watch.output.dropFirst(mark).map(\.text).joined()
            #expect(painted.contains("\u{1B}[H\u{1B}[2J") && painted.contains("teachers"))
        }
    }
}
