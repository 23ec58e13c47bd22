import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing
import Waiting

/// A change that is sent again because its answer never came is made once, whatever became of the server meanwhile.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(60)))
struct RepeatedRequestTests {
    /// `kill -9` at each write and sync of the server between a request and its answer; `make soak` tries every one.
    @Test func whatIsSentAgainAfterAnEndAtEachPointIsDoneOnce() async throws {
        try await Road.with { road in
            try await Administrator.with(road) { administrator in
                let counted = try await Self.round(0, road, administrator)
                try #require(!counted.ended && counted.after - counted.before > 8)
                var ends = 0
                let points = CrashPoint.points(upTo: counted.after - counted.before, quick: 6)
                for point in points {
                    CrashPoint.tell(point, of: counted.after - counted.before, "repeated requests")
                    if try await Self.round(counted.before + point, road, administrator).ended { ends += 1 }
                }
                // Starts differ a little in what they write, so a point may lie behind the last request.
                #expect(ends >= points.count / 2, "of \(points.count) points \(ends) were reached")
            }
        }
    }

    /// The command line asks again by itself: whatever part of an answer is lost, what it was told to do is done once.
    @Test func theCommandLineAsksAgainForAnAnswerThatWasLost() async throws {
        try await LossyRelay.with { relay in
            try await Road.with(through: relay) { road in
                try await Administrator.with(road) { administrator in
                    var recovered = 0
                    for number in 1...20 {
                        relay.lose(number)
                        let name = "lost-\(number)"
                        let made = try await road.run("martlet", ["group", "create", name])
                        let wasLost = relay.hasLost
                        relay.lose(nil)
                        let entries = try await Self.entries(of: name, administrator)
                        if made.status == 0 {
                            #expect(entries == 1, "\(number): \(made.text)")
                            if wasLost { recovered += 1 }
                        } else {
                            // Nothing was sent: the connection ended before there was one.
                            #expect(wasLost && entries == 0, "\(number): \(made.text)")
                        }
                        guard wasLost else { break }
                    }
                    #expect(recovered > 0)
                }
            }
        }
    }

    // MARK: help

    /// Starts the server so that it ends at a point, sends each request until it is answered, and starts the server
    /// again as soon as it has ended.
    ///
    /// Says which points lie before the requests and which after.
    private static func round(
        _ number: Int, _ road: Road, _ administrator: Administrator
    ) async throws -> (ended: Bool, before: Int, after: Int) {
        try await road.stop(try road.server)
        let crash = CrashPoint(number, of: road.serverDirectory, log: road.home.appending(path: "points"))
        let process = try road.launchServer(crash)
        let again = Task {
            let status = try await process.exit()
            try await road.startServer()
            return status
        }
        let name = "round-\(number)"
        do {
            _ = try await administrator.insist("GET", "/session")
            let before = crash.calls.count
            for (method, path, body, expected) in [
                ("POST", "/groups", try AdminJSON.encode(Group(name: name)), 201),
                ("PUT", "/apps/x.\(name)", try AdminJSON.encode(App(bundleIdentifier: "x.\(name)", name: "A")), 200),
                (
                    "POST", "/tokens",
                    try AdminJSON.encode(TokenRequest(name: name, validSeconds: 600, role: .reader)), 201
                ),
                ("DELETE", "/groups/\(name)", nil, 204),
            ] as [(String, String, Data?, UInt)] {
                let answer = try await insist(administrator, method, path, body, key: "\(method)-\(name)-\(path)")
                let isLost = expected == 201 && answer.status == 409 && answer.text.contains("answer-lost")
                #expect(answer.status == expected || isLost, "\(number) \(method) \(path): \(answer)")
            }
            let after = crash.calls.count
            process.send(SIGTERM)
            let status = try await again.value
            for (subject, count) in [(name, 2), ("x.\(name)", 1), ("admin/\(name)", 1)] {
                #expect(try await entries(of: subject, administrator) == count, "\(number) \(subject)")
            }
            return (status == -SIGKILL, before, after)
        } catch {
            again.cancel()
            throw Road.Broken(description: "point \(number) (\(crash.calls.last ?? "none")): \(error)")
        }
    }

    /// Sends under one key until there is an answer.
    private static func insist(
        _ administrator: Administrator, _ method: String, _ path: String, _ body: Data?, key: String
    ) async throws -> (status: UInt, text: String) {
        var last = "the request is under way"
        return try await eventually("an answer to \(method) \(path), but \(last)") {
            () -> (status: UInt, text: String)? in
            do {
                let response = try await administrator.ask(
                    method, "/api/v1" + path, body, type: "application/json", headers: ["Idempotency-Key": key])
                let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
                return text.contains("request-under-way") ? nil : (status: response.status.code, text: text)
            } catch {
                last = "\(error)"
                return nil
            }
        }
    }

    /// How often something was done to a thing.
    private static func entries(of subject: String, _ administrator: Administrator) async throws -> Int {
        let page: Page<AuditEntry> = try await administrator.get("/audit?subject=\(subject)")
        return page.items.count
    }
}
