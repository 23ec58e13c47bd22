import Foundation
import Synchronization
import TestInputs
import Testing
import Waiting

/// AS-1 step 7: an app counts while its feedback is fetched without a pause, and app, agent and server are killed at random.
///
/// Each count has a number. What the app's agent had on its disk reaches the server exactly once. What the app had counted
/// and not heard of when it was killed, one lot of numbers at most, reaches it at most once: they lay in the app's memory, or
/// in a socket. Kills of agent and server cost nothing. `make soak` counts 10,000 with ten kills of each.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(60)))
struct FeedbackCrashTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let increments = environment["MARTLET_FEEDBACK_INCREMENTS"].flatMap { Int($0) } ?? 300
    private static let kills = environment["MARTLET_FEEDBACK_KILLS"].flatMap { Int($0) } ?? 2
    /// After so many the app waits for its agent, which takes notes five times a second: more in a long run.
    private static let lot = max(4, increments / 500)

    private enum Victim: CaseIterable, Sendable {
        case app, agent, server
    }

    @Test func whatAnAppCountsComesOnceWhateverIsKilled() async throws {
        try await Road.with { road in
            let app = try await RoadApp.installed("CountingApp", as: "com.example.counting", on: road)
            try await app.configure(dictionary: "<key>counts</key><true/>")
            try await road.martlet(
                "assign", "teachers", app.identifier, "--configuration", "default", "--delivery", "defaults")
            try await road.enroll()
            try await road.synchronised()

            var counting = Counting(app: app, lot: Self.lot)
            try counting.open()
            let server = CountsOnServer(app: app)
            let fetching = Task {
                while !Task.isCancelled { await server.fetch() }
            }
            defer { fetching.cancel() }

            var random = SplitMix64(seed: CrashTests.seed)
            let order = (0..<Self.kills).flatMap { _ in Victim.allCases }.shuffled(using: &random)
            let span = max(1, Self.increments / max(1, order.count))
            for victim in order {
                let next = counting.highest + Int.random(in: 1...span, using: &random)
                try await counting.reaches(next)
                try await kill(victim, &counting)
            }
            // While no server takes anything, what the agent acknowledged is nowhere but on its disk.
            try road.server.killNow()
            try await counting.reaches(counting.highest + Self.lot)
            try road.agent.killNow()
            try await road.startServer()
            try await road.startAgent()
            try await counting.reaches(max(Self.increments, counting.highest + 1))
            try await counting.end()
            let last = try #require(counting.kept.max())
            // Lives end one after the other: with the last number all before it have come.
            try await eventually("the server has the last number, \(last)") { server.numbers.contains(last) }
            fetching.cancel()
            await fetching.value
            try await compare(server, counting)
        }
    }

    private func kill(_ victim: Victim, _ counting: inout Counting) async throws {
        let road = counting.app.road
        switch victim {
        case .app:
            try await counting.killNow()
            try counting.open()
        case .agent:
            try road.agent.killNow()
            try await road.startAgent()
        case .server:
            try road.server.killNow()
            try await road.startServer()
        }
    }

    private func compare(_ server: CountsOnServer, _ counting: Counting) async throws {
        let seed = "MARTLET_SEED=\(CrashTests.seed)"
        let (numbers, kept, begun) = (server.numbers, counting.kept, counting.begun)
        let known = Set(numbers)
        let doubled = Dictionary(grouping: numbers) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        #expect(doubled.isEmpty, "counted twice, \(seed)")
        #expect(kept.subtracting(known).sorted() == [], "lost, \(seed)")
        #expect(known.subtracting(begun).sorted() == [], "never counted, \(seed)")
        let unsure = begun.subtracting(kept)
        #expect(unsure.count <= Self.kills * Self.lot, "only who is killed does not hear: \(seed)")
        let sum = server.lives.values.reduce(0) { $0 + $1.count }
        #expect(sum == numbers.count, "each life's own count, \(seed)")
        // Of an app on a device the server keeps 500 lives.
        if server.lives.count < 500 { #expect(try await server.sum() == Double(sum), "the server's sum, \(seed)") }
    }
}

/// The app's own ledger: what its processes said that they counted.
private struct Counting {
    let app: RoadApp
    private let lot: Int
    private var processes: [(process: RunningProcess, buttons: Pipe)] = []

    init(app: RoadApp, lot: Int) { (self.app, self.lot) = (app, lot) }

    /// The numbers that it began to count.
    var begun: Set<Int> { Set(processes.flatMap { Self.numbers(of: $0.process, after: "counts ") }) }

    /// Those of which it heard that its agent has them.
    var kept: Set<Int> {
        var kept: Set<Int> = []
        for (process, _) in processes {
            let last = Self.numbers(of: process, after: "kept ").max() ?? 0
            kept.formUnion(Self.numbers(of: process, after: "counts ").filter { $0 <= last })
        }
        return kept
    }

    /// The last that it began to count: looked for from the end, as it is asked for often.
    var highest: Int {
        processes.compactMap { one in
            one.process.output.last { $0.text.hasPrefix("counts ") }.flatMap { Int($0.text.dropFirst("counts ".count)) }
        }.max() ?? 0
    }

    /// Starts it anew, from the number on that was never counted.
    mutating func open() throws {
        let buttons = Pipe()
        let process = try app.open("\(highest + 1)", "\(lot)", input: buttons.fileHandleForReading)
        processes.append((process: process, buttons: buttons))
    }

    /// Waits until it has begun to count a number, as long as it goes on.
    func reaches(_ number: Int) async throws {
        while true {
            let reached = highest
            guard reached < number else { return }
            try await eventually("the app counts on from \(reached): \(said)") { highest > reached }
        }
    }

    /// Kills it, and waits for what it had said.
    func killNow() async throws {
        let path = "\(app.identifier).app"
        for process in try app.road.appProcesses(under: path) { kill(process, SIGKILL) }
        try await eventually("the app is gone") { try app.road.appProcesses(under: path).isEmpty }
        try await processes.last?.process.drained()
    }

    /// Has it end by itself.
    func end() async throws {
        guard let last = processes.last else { return }
        try last.buttons.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        _ = try await last.process.line(containing: "done")
    }

    private var said: String { processes.last?.process.output.suffix(3).map(\.text).joined(separator: ", ") ?? "" }

    private static func numbers(of process: RunningProcess, after word: String) -> [Int] {
        process.output.compactMap { $0.text.hasPrefix(word) ? Int($0.text.dropFirst(word.count)) : nil }
    }
}

/// What the server was handed of the app, looked at after each fetch: it does not keep all of a long run.
private final class CountsOnServer: Sendable {
    struct Life: Sendable {
        let count: Int
        let numbers: [Int]
    }

    private let app: RoadApp
    private let found = Mutex<[String: Life]>([:])

    init(app: RoadApp) { self.app = app }

    /// By their names.
    var lives: [String: Life] { found.withLock { $0 } }

    /// Of all lives.
    var numbers: [Int] { lives.values.flatMap(\.numbers) }

    /// Has the app hand over, and looks at what came; a server or an agent that is away is asked again at the next turn.
    func fetch() async {
        let road = app.road
        // Not waited for: the device takes several of them at once, and answers before its app does.
        _ = try? await road.run("martlet", ["feedback", "fetch", road.udid, app.identifier])
        let look = ["feedback", "show", app.identifier, "--device", road.udid, "--json"]
        guard let (status, text) = try? await road.run("martlet", look), status == 0 else { return }
        let entries = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
        for entry in entries {
            guard let life = entry["life"] as? String, let feedback = entry["feedback"] as? [String: Any] else {
                continue
            }
            let numbers = (feedback["numbers"] as? String ?? "").split(separator: " ").compactMap { Int($0) }
            let counted = Life(count: feedback["count"] as? Int ?? 0, numbers: numbers)
            found.withLock { $0[life] = counted }
        }
    }

    /// The sum that the server itself has.
    func sum() async throws -> Double {
        let answer = try await app.road.martlet("feedback", "show", app.identifier, "--json")
        let summary = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
        let totals = summary?["totals"] as? [[String: Any]] ?? []
        return totals.filter { $0["key"] as? String == "count" }.reduce(0) { $0 + ($1["sum"] as? Double ?? 0) }
    }
}
