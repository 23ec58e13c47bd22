import Foundation
import Testing
import Waiting

/// Long work of a real server that is killed in the middle of it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct JobRoadTests {
    /// Makes the log long without asking the server: entries that follow as its own would.
    private static let program = """
        import hashlib, sqlite3
        store = sqlite3.connect("server/martlet.sqlite")
        sequence, time, head = store.execute(
            "SELECT sequence, time, hash FROM audit ORDER BY sequence DESC LIMIT 1").fetchone()
        rows = []
        for _ in range(150_000):
            sequence += 1
            parts = [head, str(sequence).encode(), str(time).encode(), b"operator", b"group.create", b"g", b"{}"]
            head = hashlib.sha256(b"".join(str(len(part)).encode() + b":" + part for part in parts)).digest()
            rows.append((sequence, time, "operator", "group.create", "g", "{}", head))
        store.executemany("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        store.commit()
        """

    private struct Job: Decodable {
        let id: String
        let state: String
        let done: Int
        let total: Int
        let resumed: Int
    }

    private func jobs(_ road: Road) async throws -> [Job] {
        try JSONDecoder().decode([Job].self, from: Data(try await road.martlet("job", "list", "--json").utf8))
    }

    /// Waits until the newest job is as `holds` says.
    private func newest(_ road: Road, _ purpose: String, _ holds: (Job) -> Bool) async throws -> Job {
        var last: Job?
        return try await eventually("\(purpose), but \(String(describing: last))") { () -> Job? in
            last = try await jobs(road).first
            return last.flatMap { holds($0) ? $0 : nil }
        }
    }

    @Test(.enabled(if: WebhookRoadTests.hasPython, "python3 makes the log long"))
    func aVerificationGoesOnAfterTheServerWasKilled() async throws {
        try await Road.with { road in
            try await road.stop(road.server)
            try Data(Self.program.utf8).write(to: road.home.appending(path: "grow.py"))
            try await road.shell("python3 grow.py")
            try await road.startServer()
            // A machine may be so fast that it was done before it was killed.
            for _ in 1...30 {
                let former = Set(try await jobs(road).map(\.id))
                let waiting = Task { try? await road.run("martlet", ["audit", "verify"]) }
                let before = try await newest(road, "another job begins") {
                    !former.contains($0.id) && ($0.done > 0 || $0.state == "done")
                }
                try road.server.killNow()
                _ = await waiting.value
                try await road.startServer()
                let after = try await newest(road, "the job ends") {
                    $0.state == "done" || $0.state == "failed"
                }
                #expect(after.id == before.id && after.state == "done" && after.done == after.total)
                if before.state == "running", after.resumed == 1 { break }
            }
            let last = try #require(try await jobs(road).first)
            #expect(last.resumed == 1, "it was never killed in the middle")
            let result = try await road.martlet("job", "show", last.id)
            #expect(result.contains(#""intact":true"#), "\(result)")
            let verified = try await road.martlet("audit", "verify")
            #expect(verified.contains("each follows from the one before"), "\(verified)")
        }
    }

    @Test func aListOfDevicesIsPutIntoAGroupByAJob() async throws {
        try await Road.with { road in
            try await road.enroll()
            try await road.martlet("group", "create", "pilots")
            try Data("# pilots\n\(road.udid)\nnobody\n".utf8).write(to: road.home.appending(path: "list.txt"))
            let list = road.home.appending(path: "list.txt").path
            let partly = try await road.run("martlet", ["group", "add-devices", "pilots", "--file", list])
            #expect(partly.status == 4 && partly.text.contains("nobody: There is no such device."), "\(partly.text)")
            #expect(try await road.martlet("group", "show", "pilots").contains("1"))
            try Data("\(road.udid)\n".utf8).write(to: road.home.appending(path: "list.txt"))
            let all = try await road.martlet("group", "add-devices", "pilots", "--file", list)
            #expect(all.contains("1 device is in pilots."))
            let job = try await newest(road, "a job is done") { $0.state == "done" }
            #expect(try await road.martlet("job", "cancel", job.id).contains("is done"))
        }
    }
}
