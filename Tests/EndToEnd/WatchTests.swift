import Foundation
import Testing
import Waiting

/// Lists that go on (`--watch`).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct WatchTests {
    /// A program reads one object for each change; the server is asked only whether there is any.
    @Test func programsGetALineForEachChangeAndTheServerLittleWork() async throws {
        let port = try KeptPort.next()
        try await Road.with(options: ["--metrics", "127.0.0.1:\(port)"]) { road in
            let begun = ContinuousClock.now
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
            func unchanged() async throws -> Int {
                let counted = try await road.shell(
                    "curl -sSf http://127.0.0.1:\(port)/metrics | grep 'requests_total.*administrators.*3xx' || true"
                )
                return Int(counted.split(separator: " ").last ?? "") ?? 0
            }
            let before = try await unchanged()
            try await eventually("it looks again") { try await unchanged() >= before + 2 }
            #expect(watch.mark == quiet, "nothing changed, nothing is said")
            // Once a second at most.
            let looks = try await unchanged()
            let most = 1 + (ContinuousClock.now - begun) / .seconds(1)
            #expect(Double(looks) <= most)
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
