import Foundation
import Testing

/// The server's first start, cut off anywhere: the next one finishes it, and somebody gets in.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(60)))
struct FirstStartTests {
    @Test func aFirstStartThatEndsAtAnyPointIsFinishedByTheNext() async throws {
        let count = try await start(at: 0, tears: false).calls.count
        try #require(count > 100)
        let points = CrashPoint.points(upTo: count, quick: 3)
        var ends = 0
        for number in points {
            CrashPoint.tell(number, of: count, "first start")
            let cut = try await start(at: number, tears: false)
            if cut.ended { ends += 1 }
            if CrashPoint.canTear(cut.calls.last) { _ = try await start(at: number, tears: true) }
        }
        #expect(ends >= CrashPoint.fewest(of: points.count, ofTen: 9), "of \(points.count) points \(ends) were reached")
    }

    /// The directory itself comes first: one that others may enter must not be left behind.
    @Test(arguments: 2...3) func theFirstStepsOfAFirstStartMayBeCutOff(_ number: Int) async throws {
        #expect(try await start(at: number, tears: false).ended)
    }

    /// A password that was never said is replaced by one command; the server says which.
    @Test func anUnsaidOneTimePasswordIsNotTheEnd() async throws {
        try await withHome { home in
            let first = try Server(home)
            _ = try await first.ready()
            first.process.killNow()
            let second = try Server(home)
            _ = try await second.ready()
            #expect(second.password == nil)
            // A start says how to get in while the one-time password was not used.
            _ = try await second.process.line(containing: "reset-admin-password")
            second.process.killNow()
            let password = try await resetPassword(home)
            let third = try Server(home)
            #expect(try await logIn(home, url: third.ready(), password) == 0)
            third.process.killNow()
        }
    }

    // MARK: One first start

    /// Starts a new server that ends at a point, then another one in its directory, and logs in.
    private func start(at number: Int, tears: Bool) async throws -> (ended: Bool, calls: [String]) {
        var result = (ended: false, calls: [String]())
        try await withHome { home in
            let crash = CrashPoint(
                number, of: home.appending(path: "server").path, tears: tears, log: home.appending(path: "points"))
            let first = try Server(home, crash)
            let isReady = (try? await first.ready()) != nil
            let before = isReady ? try Data(contentsOf: home.appending(path: "server/ca.pem")) : nil
            first.process.send(SIGTERM)
            let status = try await first.process.exit()
            try await first.process.drained()
            result = (status == -SIGKILL, crash.calls)
            let said = first.password

            let second = try Server(home)
            var url = try await second.ready()
            if let before {
                let now = try Data(contentsOf: home.appending(path: "server/ca.pem"))
                #expect(now == before, "the authority that was shown stays the authority")
            }
            var process = second.process
            var password = said ?? second.password
            if password == nil {
                // The administrator was made, but the end came before the password was said.
                process.killNow()
                password = try await resetPassword(home)
                let third = try Server(home)
                url = try await third.ready()
                process = third.process
            }
            let status2 = try await logIn(home, url: url, try #require(password))
            #expect(status2 == 0, "point \(number), \(crash.calls.last ?? "none"): nobody gets in")
            process.killNow()
            let left = try FileManager.default.contentsOfDirectory(atPath: home.appending(path: "server").path)
            let known: Set = [
                "ca.key", "ca.pem", "issued-server.pem", "martlet.sqlite", "martlet.sqlite-wal", "martlet.sqlite-shm",
                "martlet.sqlite.lock", "master.key", "identities.key", "identities.pem", "packages",
            ]
            #expect(Set(left).subtracting(known) == [], "nothing half-written stays behind, keys least of all")
            let packages = home.appending(path: "server/packages").path
            #expect(try FileManager.default.subpathsOfDirectory(atPath: packages).filter { $0.contains(".") } == [])
        }
        return result
    }

    /// A server process in `home`, from its start on.
    private struct Server {
        let process: RunningProcess

        init(_ home: URL, _ crash: CrashPoint? = nil) throws {
            process = try RunningProcess(
                "martlet-server", Road.binary("martlet-server"),
                ["run", "--data-directory", home.appending(path: "server").path, "--port", "0"],
                environment: Road.environment(home).merging(crash?.environment ?? [:]) { $1 })
        }

        /// The server's address, once it serves.
        func ready() async throws -> String {
            let line = try await process.lineOrEnd("that it is ready") { $0.contains("martlet-server ready https://") }
            guard let line else { throw Road.Broken(description: process.output.map(\.text).joined(separator: "\n")) }
            return String(line.text.split(separator: " ").last ?? "")
        }

        /// The one-time password, if it was said.
        var password: String? {
            process.output.first { $0.text.hasPrefix("one-time password: ") }
                .map { String($0.text.dropFirst("one-time password: ".count)) }
        }
    }

    private func resetPassword(_ home: URL) async throws -> String {
        let process = try RunningProcess(
            "martlet-server", Road.binary("martlet-server"),
            ["reset-admin-password", "--data-directory", home.appending(path: "server").path],
            environment: Road.environment(home))
        #expect(try await process.exit() == 0)
        let line = try await process.line(containing: "new password of admin: ")
        return String(line.text.split(separator: " ").last ?? "")
    }

    private func logIn(_ home: URL, url: String, _ password: String) async throws -> Int32? {
        let given = Pipe()
        let process = try RunningProcess(
            "martlet", Road.binary("martlet"),
            [
                "login", "--server", url, "--ca-file", home.appending(path: "server/ca.pem").path, "--name", "admin",
                "--password-stdin", "--new-password-stdin",
            ], environment: Road.environment(home), input: given.fileHandleForReading)
        try given.fileHandleForWriting.write(contentsOf: Data("\(password)\nonly-in-this-test\n".utf8))
        try given.fileHandleForWriting.close()
        return try await process.exit()
    }

    private func withHome(_ body: (URL) async throws -> Void) async throws {
        let name = "martlet-first-\(UUID().uuidString.prefix(8))"
        let home = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        try await body(home)
    }
}
