import Foundation
import Testing
import Waiting

/// The audit log of a running server, as long as its operator keeps it, and as the command line tool reads it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AuditRoadTests {
    private static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }
    /// A server looks once a minute for what has had its time.
    private static let awaitsUpkeep = ProcessInfo.processInfo.environment["MARTLET_UPKEEP"] != nil

    @Test(.enabled(if: hasPython, "the clock of another process cannot be moved: python3 moves its entries"))
    func timesChooseAmongTheEntriesOfTheServer() async throws {
        try await Road.with { road in
            try await road.stop(road.server)
            try await Self.age(3, on: road)
            try await road.startServer()
            let all = try await Self.entries(road)
            #expect(all.count > 4 && all.suffix(3) == [3, 2, 1])
            let young = Array(all.dropLast(3))
            for ago in ["7d", Self.day(7), Self.moment(7)] {
                #expect(try await Self.entries(road, "--since", ago) == young, "\(ago)")
                #expect(try await Self.entries(road, "--until", ago) == [3, 2, 1], "\(ago)")
            }
            #expect(try await Self.entries(road, "--since", "60d") == all)
            #expect(try await Self.entries(road, "--since", Self.day(50), "--until", "30d") == [3, 2, 1])
            #expect(try await Self.entries(road, "--since", "30d", "--until", "7d") == [])
            #expect(try await Self.entries(road, "--until", Self.moment(41)) == [])
            let refused = try await road.run("martlet", ["audit", "list", "--since", "yesterday"])
            #expect(refused.status != 0 && refused.text.contains("--since"), "\(refused.text)")
        }
    }

    @Test func theOperatorSaysForHowManyDaysTheLogIsKept() async throws {
        try await Road.with { road in
            try await road.stop(road.server)
            for days in ["29", "36501", "-1"] {
                let refused = try await road.run(
                    "martlet-server",
                    ["run", "--data-directory", road.serverDirectory, "--port", "0", "--audit-days=\(days)"])
                #expect(refused.status != 0, "\(days)")
                #expect(refused.text.contains("--audit-days must be 0 or a whole number from 30 to 36500"), "\(days)")
            }
            for days in ["0", "45", "30"] {
                if Self.hasPython, days == "45" { try await Self.age(3, on: road) }
                try await road.startServer("--audit-days", days)
                #expect(try await Self.entries(road).last == 1)
                if Self.awaitsUpkeep, Self.hasPython {
                    if days == "30" {
                        try await eventually("the old entries go") { try await Self.entries(road).last == 4 }
                    } else {
                        // It looks meanwhile, and nothing is to go.
                        try await Task.sleep(for: .seconds(65))
                        #expect(try await Self.entries(road).last == 1, "\(days)")
                    }
                    // With 45 days the entries whose times were changed are still there; with 30 they have gone.
                    let verified = try await road.run("martlet", ["audit", "verify"])
                    #expect(verified.text.contains(days == "45" ? "broken at entry 1" : "each follows"), "\(verified)")
                }
                try await road.stop(road.server)
            }
        }
    }

    /// What is exported is the log, and whoever has the file alone finds what was done to it.
    @Test func anExportedLogIsCheckedWithoutTheServer() async throws {
        try await Road.with { road in
            let log = road.home.appending(path: "log.jsonl").path
            try await road.martlet("audit", "export", "--output", log)
            let kept = try await road.martlet("audit", "verify", "--json")
            try await road.stop(road.server)
            let lines = try await road.shell("cat log.jsonl").split(separator: "\n")
            #expect(lines.count > 5)
            let checked = try await road.martlet("audit", "verify", "--file", log, "--json")
            func head(_ text: String) throws -> String? {
                (try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?["head"] as? String
            }
            #expect(try head(checked) == head(kept) && head(kept) != nil)
            for (change, said) in [
                ("sed -i 3d", "broken at entry 2"), ("sed -i '4s/admin/adm1n/'", "broken at entry 3"),
                ("sed -i '$d'", "the log says how it ends"), ("sed -i 1d", "no exported audit log"),
            ] {
                try await road.shell("cp log.jsonl other.jsonl && \(change) other.jsonl")
                let refused = try await road.run(
                    "martlet", ["audit", "verify", "--file", road.home.appending(path: "other.jsonl").path])
                #expect(refused.status == 1 && refused.text.contains(said), "\(change): \(refused.text)")
            }
        }
    }

    /// The numbers of the entries that are listed.
    private static func entries(_ road: Road, _ filter: String...) async throws -> [Int] {
        let result = try await road.run("martlet", ["audit", "list", "--all", "--json"] + filter)
        #expect(result.status == 0, "\(result.text)")
        let entries = try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [[String: Any]]
        return try #require(entries).compactMap { $0["sequence"] as? Int }
    }

    /// Makes the oldest entries forty days older: their times alone, which the rest of the log does not know.
    private static func age(_ count: Int, on road: Road) async throws {
        let program = """
            import sqlite3
            store = sqlite3.connect("server/martlet.sqlite")
            guard = store.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_is_not_changed'").fetchone()[0]
            store.execute("DROP TRIGGER audit_is_not_changed")
            store.execute("UPDATE audit SET time = time - 40 * 86400 WHERE sequence <= \(count)")
            store.execute(guard)
            store.commit()
            """
        try Data(program.utf8).write(to: road.home.appending(path: "age.py"))
        try await road.shell("python3 age.py")
    }

    private static func moment(_ days: Double) -> String { (Date() - days * 86_400).formatted(.iso8601) }
    private static func day(_ days: Double) -> String { String(moment(days).prefix(10)) }
}
