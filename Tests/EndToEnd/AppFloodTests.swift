import Foundation
import Testing
import Waiting

/// What floods the agent is limited, and it alone: A12.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct AppFloodTests {
    private static let other: UInt32 = 65_533

    /// How many calls of a flood were answered, and when, in microseconds.
    private static func answered(_ flood: RunningProcess) async throws -> (calls: Int, time: Int) {
        let line = try await flood.line(containing: "answered: ", after: flood.mark).text
        let words = line.split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 2)
        return (words[0], words[1])
    }

    /// Microseconds of so many of an app's look-ups: the one in the middle, of a hundred the last but one, and the longest.
    private static func measure(_ app: Impostors, _ count: Int) async throws -> [Int] {
        let figures = try await app.app("measure", "\(count)").split(separator: " ").compactMap { Int($0) }
        try #require(figures.count == 3)
        return figures
    }

    /// How many lines there may be since a moment: of refusals forty at once and four in each second, as the agent has
    /// it, and some that are of none.
    private static func mostLines(since begun: ContinuousClock.Instant) -> Double {
        100 + 4 * ((ContinuousClock.now - begun) / .seconds(1))
    }

    /// An agent that may have few files open keeps some for what it launches; others are turned away before.
    @Test func aFullAgentStillServesWhatItLaunches() async throws {
        try await SignedApp.with { app in
            try await app.road.stop(try app.road.agent)
            try await app.road.startAgent(through: "/usr/bin/prlimit", "--nofile=64:256")
            var held = 0
            for user in [UInt32(65_534), Self.other, Self.other - 1] {
                for _ in 0..<2 { held += try #require(Int(try await app.elsewhere("holds", "16", as: user))) }
            }
            #expect((32..<64).contains(held))
            #expect(try await app.refusals("crowded") > 0)
            #expect(try await app.launched() == SignedApp.secret)
        }
    }

    /// The agent takes what it may; an app begins with what the agent began with, for the sake of those that call select().
    @Test func theAgentOpensAsManyFilesAsItMay() async throws {
        try await Impostors.with { impostors in
            try await impostors.road.stop(try impostors.road.agent)
            try await impostors.road.startAgent(through: "/usr/bin/prlimit", "--nofile=500:4000")
            func limits(_ process: Int32) throws -> [String] {
                let lines = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
                let line = lines.split(separator: "\n").first { $0.hasPrefix("Max open files") }
                return (line ?? "").split(separator: " ").filter { Int($0) != nil }.map(String.init)
            }
            #expect(try limits(try impostors.road.agent.identifier) == ["4000", "4000"])
            let running = try await impostors.app.open("wait").line(containing: "wait: ")
            let process = try #require(Int32(running.text.split(separator: " ")[1]))
            #expect(try limits(process) == ["500", "4000"])
        }
    }

    /// One user's processes have only so many connections open, and try only so often.
    @Test func aUserWhoFloodsIsLimitedAlone() async throws {
        try await SignedApp.with { app in
            for allowed in ["16", "16", "0"] { #expect(try await app.elsewhere("holds", "60") == allowed) }
            #expect(try await app.refusals("crowded") == 3)
            #expect(try await app.elsewhere("configured", as: Self.other).count == 64)
            #expect(try await app.launched() == SignedApp.secret)

            let mark = try app.road.agent.mark
            let tries = 2_000
            let begun = ContinuousClock.now
            #expect(try await app.elsewhere("knocks", "\(tries)") == "done")
            // What was tried lies in the socket's queue until the agent has come to it; who comes later is served after.
            #expect(try await app.elsewhere("configured", as: Self.other).count == 64)
            // 64 at once, and 16 in each second that it took.
            let most = 64 + 16 * ((ContinuousClock.now - begun) / .seconds(1))
            var hasty = 0
            try await eventually("at most \(most) of \(tries) are not turned away, but \(hasty) are") { () -> Bool in
                // Of those whose process has ended meanwhile nobody can tell whose they were.
                let untold = try await app.refusals("stranger")
                hasty = try await app.refusals("hasty")
                return Double(tries - hasty - untold) <= most
            }
            #expect(hasty > 0)
            let lines = try app.road.agent.mark - mark
            #expect(Double(lines) < Self.mostLines(since: begun), "refusals do not fill the log")
            #expect(try await app.launched() == SignedApp.secret)
        }
    }

    /// B5: where commands are heard everybody may connect; the apps do not hear of it, nor does the log.
    ///
    /// An app has the answers to all its look-ups while the flood goes on, for whose end nobody waits as long.
    @Test(arguments: [(65_534, "stranger"), (12_345, "hasty")] as [(UInt32, String)])
    func commandsWithoutEndKeepNoAppWaiting(user: UInt32, reason: String) async throws {
        try await Impostors.with { impostors in
            let control = impostors.road.agentDirectory + "/control.socket"
            let mark = try impostors.road.agent.mark
            // What opens an app waits behind the flood, as every command does; the app runs before it.
            let app = try impostors.app.open("measure", "10000")
            _ = try await app.line(containing: "measuring")
            let begun = ContinuousClock.now
            let flood = try impostors.stranger(["flood", control, "600"], as: user)
            _ = try await app.line(containing: "measure: ")
            _ = try await impostors.road.agent.line(containing: "a user's commands come too often", after: mark)
            flood.killNow()
            #expect(try await impostors.road.refusals("hasty") > 0)
            #expect(try await impostors.road.refusals(reason) > 0)
            let lines = try impostors.road.agent.mark - mark
            #expect(Double(lines) < Self.mostLines(since: begun), "refusals do not fill the log")
        }
    }

    /// B1: the last of a socket that lingers is left to the agent, by whoever can reach it.
    ///
    /// Each lingers for ten minutes, and an answer is not waited for as long.
    @Test func whatLingersKeepsNoAppWaiting() async throws {
        try await Impostors.with { impostors in
            let directory = impostors.road.agentDirectory
            for (name, user) in [
                ("app.socket", 65_534), ("app-http.socket", 65_534), ("control.socket", 65_534),
                ("control.socket", 12_345),
            ] as [(String, UInt32)] {
                let attack = try impostors.stranger(["linger", "\(directory)/\(name)", "600"], as: user)
                _ = try await attack.line(containing: "linger: ")
                #expect(try await impostors.app("ask") == Impostors.secret, "\(name) \(user)")
            }
        }
    }

    /// B14: a person opens so many apps at once, and then one a second: each time a process begins and two generations are
    /// written.
    @Test func aPersonWhoOpensAppsWithoutEndIsSlowedDown() async throws {
        try await Impostors.with { impostors in
            let control = impostors.road.agentDirectory + "/control.socket"
            // 32 at once and one a second: this many are more, also where an opening takes most of a second.
            let person = try impostors.stranger(["opens", control, impostors.app.identifier, "120"], as: 12_345)
            let told = try await person.line(containing: "opens: ").text.split(separator: " ")
            #expect(try #require(Int(told[1])) > 0 && told.dropFirst(2) == ["TooOften"], "\(told)")
            #expect(try await impostors.road.refusals("hasty") > 0)
            // Others are not; root is not either.
            let other = try impostors.stranger(["opens", control, impostors.app.identifier, "1"], as: 12_346)
            #expect(try await other.line(containing: "opens: ").text == "opens: 0 ")
            #expect(try await impostors.app("ask") == Impostors.secret)
        }
    }

    /// Without turns each look-up waits for all that the agent has read of the other app's twelve connections: for some
    /// two thousand calls.
    ///
    /// With them it waits for two turns, sixteen calls; the rest is what the machine's other work costs. The bound lies
    /// thirty times above that, and at a quarter of what is read ahead: see docs/performance.md. That work may be more
    /// at times, so there are several tries: who waits for what was read ahead waits for it in each of them.
    @Test(arguments: ["floods", "floods-over-http"])
    func anAppThatFloodsDoesNotKeepTheOthersWaiting(_ how: String) async throws {
        try await SignedApp.with { app in
            let victim = app.impostors
            var said: [String] = []
            for _ in 1...5 {
                let quiet = try await Self.measure(victim, 200)[0]
                let flood = try app.launch(how)
                _ = try await flood.line(containing: how + ": begun")
                let first = try await Self.answered(flood)
                let flooded = try await Self.measure(victim, 200)[0]
                let last = try await Self.answered(flood)
                flood.killNow()
                try #require(last.calls > first.calls)
                let call = Double(last.time - first.time) / Double(last.calls - first.calls)
                if Double(flooded - quiet) < 500 * call { return }
                said.append("\(quiet) when it is quiet, \(flooded) in a flood of a call each \(call)")
            }
            Issue.record("microseconds: \(said)")
        }
    }
}
