import Foundation
import GuideBlocks
import Synchronization
import TestInputs
import Testing
import Waiting

/// Webhooks of a real server, told by the command line tool, taken by the receiver that the guide shows.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct WebhookRoadTests {
    static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }
    private static let options = ["--webhook-network", "127.0.0.0/8"]

    /// The receiver of the guide, running.
    private struct Receiver {
        let process: RunningProcess
        let port: Int

        /// What it took for genuine and new: the type and the entry's subject.
        var events: [(type: String, sequence: Int, subject: String)] {
            process.output.compactMap { line in
                let parts = line.text.split(separator: " ", maxSplits: 1)
                guard parts.count == 2,
                    let data = try? JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: Any]
                else { return nil }
                return (String(parts[0]), data["sequence"] as? Int ?? 0, data["subject"] as? String ?? "")
            }
        }
    }

    private static func guideReceiver() throws -> String {
        let file = Guide.tree.appending(path: "docs/webhooks.md")
        let guide = Guide("webhooks", try String(contentsOf: file, encoding: .utf8))
        #expect(guide.strays.isEmpty)
        return try #require(guide.blocks.first { $0.language == "python" }).text
    }

    private func startReceiver(_ road: Road, secrets: String, port: Int? = nil) async throws -> Receiver {
        try Data(Self.guideReceiver().utf8).write(to: road.home.appending(path: "receiver.py"))
        var environment = ProcessInfo.processInfo.environment
        environment["WEBHOOK_SECRETS"] = secrets
        // Another one may take its place there.
        environment["PORT"] = "\(try port ?? KeptPort.next())"
        let process = try RunningProcess(
            "receiver", URL(filePath: "/usr/bin/env"), ["python3", road.home.appending(path: "receiver.py").path],
            environment: environment)
        road.processes.withLock { $0.append(process) }
        let line = try await process.line(containing: "listening on")
        return Receiver(process: process, port: Int(line.text.split(separator: " ").last ?? "") ?? 0)
    }

    /// Waits until the receiver has had what `holds` asks for.
    private func wait(
        _ receiver: Receiver, _ purpose: String, _ holds: ([(type: String, sequence: Int, subject: String)]) -> Bool
    ) async throws {
        try await eventually("\(purpose), but \(receiver.events)") { holds(receiver.events) }
    }

    private func add(_ road: Road, _ receiver: Receiver, events: String...) async throws -> String {
        let url = "http://127.0.0.1:\(receiver.port)/martlet"
        let text = try await road.run(
            "martlet", ["webhook", "add", "tickets", "--url", url, "--json"] + events.flatMap { ["--event", $0] }
        ).text
        let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(answer?["secret"] as? String, "\(text)")
    }

    /// Every command, and that the guide's receiver takes what is genuine and nothing else.
    @Test(.enabled(if: hasPython, "python3 is the receiver")) func theGuidesReceiverHearsWhatTheToolAskedFor()
        async throws
    {
        try await Road.with(options: Self.options) { road in
            let closed = try await startReceiver(road, secrets: "whsec_AAAA")
            let secret = try await add(road, closed, events: "group.*")
            let refused = try await road.run("martlet", ["webhook", "test", "tickets", "--wait", Road.longest])
            #expect(refused.status == 1 && refused.text.contains("it answered 401"), "\(refused.text)")
            closed.process.killNow()
            let receiver = try await startReceiver(road, secrets: secret)
            let url = "http://127.0.0.1:\(receiver.port)/martlet"
            try await road.martlet("webhook", "set", "tickets", "--url", url)
            #expect(try await road.martlet("webhook", "test", "tickets", "--wait", Road.longest).contains("Delivered."))
            try await road.martlet("group", "create", "pilots")
            try await wait(receiver, "the group") { $0.contains { $0.subject == "pilots" } }
            let sequence = try #require(receiver.events.first { $0.subject == "pilots" }).sequence
            try await road.martlet("webhook", "redeliver", "tickets", "\(sequence)", "--wait", Road.longest)
            // It was seen before: taken, and not acted on again.
            #expect(receiver.events.filter { $0.sequence == sequence }.count == 1)
            try await road.martlet("webhook", "set", "tickets", "--event", "group.*", "--event", "app.feedback")
            let shown = try await road.martlet("webhook", "show", "tickets")
            #expect(shown.contains("app.feedback") && shown.contains("0 deleted before delivery"), "\(shown)")
            #expect(shown.contains("active") && shown.contains("redelivery") && !shown.contains(secret))
            let rotated = try await road.martlet("webhook", "rotate", "tickets", "--overlap", "1h")
            #expect(rotated.contains("whsec_") && !rotated.contains(secret))
            #expect(try await road.martlet("webhook", "test", "tickets", "--wait", Road.longest).contains("Delivered."))
            try await road.martlet("webhook", "rotate", "tickets", "--overlap", "0")
            try await road.martlet("webhook", "test", "tickets", "--wait", Road.longest, status: 1)
            try await road.martlet("webhook", "set", "tickets", "--disable")
            #expect(try await road.martlet("webhook", "list").contains("disabled, by-administrator"))
            #expect(try await road.martlet("health").contains("1 disabled"))
            try await road.martlet("webhook", "remove", "tickets", "--yes")
            let gone = try await road.martlet("webhook", "show", "tickets", status: 3)
            #expect(gone.contains("no such webhook: tickets") && gone.contains("martlet webhook list"), "\(gone)")
            let mistyped = try await road.run("martlet", ["webhook", "add", "x", "--url", url, "--event", "secrt.*"])
            #expect(mistyped.status == 4 && mistyped.text.contains("Did you mean \"secret.*\"?"), "\(mistyped.text)")
            let onNetwork = try await road.run("martlet", ["webhook", "add", "x", "--url", "https://10.0.0.1/"])
            #expect(onNetwork.status == 4 && onNetwork.text.contains("--webhook-network"), "\(onNetwork.text)")
        }
    }

    /// Red where an address that takes nothing was found out with the first event that mattered.
    @Test(.enabled(if: hasPython, "python3 is the receiver")) func anAddedWebhookSaysHowToTryItsAddressOrTriesIt()
        async throws
    {
        try await Road.with(options: Self.options) { road in
            let receiver = try await startReceiver(road, secrets: "whsec_AAAA")
            let url = "http://127.0.0.1:\(receiver.port)/martlet"
            let plain = try await road.martlet("webhook", "add", "plain", "--url", url, "--event", "group.*")
            #expect(plain.contains("whsec_") && plain.contains("martlet webhook test plain"), "\(plain)")

            let trial = ["--event", "group.*", "--try", "--wait", Road.longest]
            let refused = try await road.run("martlet", ["webhook", "add", "strict", "--url", url] + trial)
            #expect(refused.status == 1, "its secret is not the receiver's")
            #expect(refused.text.contains("it answered 401") && refused.text.contains("stays"), "\(refused.text)")
            #expect(refused.text.contains("whsec_"), "the secret is shown only once")
            #expect(try await road.martlet("webhook", "list").contains("strict"))

            let lenient = try await startLenientReceiver(road)
            let taken = try await road.run(
                "martlet", ["webhook", "add", "lenient", "--url", "http://127.0.0.1:\(lenient)/"] + trial)
            #expect(taken.status == 0 && taken.text.contains("Delivered."), "\(taken.text)")
            let shown = try await road.martlet("webhook", "show", "lenient")
            #expect(!shown.contains("never"), "a test is a delivery: \(shown)")

            let told = try await road.run(
                "martlet", ["webhook", "add", "told", "--url", "http://127.0.0.1:\(lenient)/", "--json"] + trial)
            let value = try JSONSerialization.jsonObject(with: Data(told.text.utf8)) as? [String: Any]
            #expect((value?["trial"] as? [String: Any])?["state"] as? String == "delivered", "\(told.text)")
            #expect((value?["secret"] as? String)?.hasPrefix("whsec_") == true)
            let untold = try await road.run("martlet", ["webhook", "add", "untold", "--url", url, "--json"] + trial)
            #expect(untold.status == 1 && untold.text.contains("whsec_"), "\(untold.text)")
            #expect(untold.text.contains("it answered 401"), "\(untold.text)")
        }
    }

    /// Red where the secret of a webhook was lost, because its receiver did not answer and the person waited no longer.
    @Test(.enabled(if: hasPython, "python3 is the receiver"), arguments: [SIGINT, SIGTERM])
    func anInterruptionDoesNotLoseTheSecret(interruption: Int32) async throws {
        try await Road.with(options: Self.options) { road in
            let program = """
                import socket
                listener = socket.create_server(("127.0.0.1", \(try KeptPort.next())))
                print("listening on", listener.getsockname()[1], flush=True)
                connection = listener.accept()[0]
                print("asked", flush=True)
                connection.recv(65536)
                listener.accept()
                """
            let receiver = try RunningProcess(
                "silent receiver", URL(filePath: "/usr/bin/env"), ["python3", "-c", program],
                environment: ProcessInfo.processInfo.environment)
            road.processes.withLock { $0.append(receiver) }
            let port = try await receiver.line(containing: "listening on").text.split(separator: " ").last ?? ""
            let url = "http://127.0.0.1:\(port)/"
            let add = try road.startAlone(
                "martlet", ["webhook", "add", "slow", "--url", url, "--event", "group.*", "--json", "--try"])
            _ = try await receiver.line(containing: "asked")
            add.send(interruption)
            #expect(try await add.exit() == 128 + interruption)
            try await add.drained()
            let text = add.output.map(\.text).joined(separator: "\n")
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((value?["secret"] as? String)?.hasPrefix("whsec_") == true, "\(text)")
            #expect(value?["trial"] == nil, "\(text)")
            #expect(try await road.martlet("webhook", "list").contains("slow"), "the webhook stays")
        }
    }

    /// A receiver that takes all that is sent; its port.
    private func startLenientReceiver(_ road: Road) async throws -> Int {
        let program = """
            import http.server
            class Receiver(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    self.rfile.read(int(self.headers.get("content-length", 0)))
                    self.send_response(204)
                    self.end_headers()
            server = http.server.HTTPServer(("127.0.0.1", \(try KeptPort.next())), Receiver)
            print("listening on", server.server_port, flush=True)
            server.serve_forever()
            """
        let process = try RunningProcess(
            "lenient receiver", URL(filePath: "/usr/bin/env"), ["python3", "-c", program],
            environment: ProcessInfo.processInfo.environment)
        road.processes.withLock { $0.append(process) }
        let line = try await process.line(containing: "listening on")
        return try #require(line.text.split(separator: " ").last.flatMap { Int($0) })
    }

    /// The server is killed at random moments of its work, and so is the receiver once: what is on the record arrives, each
    /// entry, in its order, at least once.
    @Test(.enabled(if: hasPython, "python3 is the receiver"))
    func whateverIsKilledEachEntryArrivesInItsOrder() async throws {
        try await Road.with(options: Self.options) { road in
            // One that was shown already.
            let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
            let first = try await startReceiver(road, secrets: secret)
            let given = try await add(road, first, events: "group.*")
            first.process.killNow()
            let receiver = try await startReceiver(road, secrets: given, port: first.port)
            var moments = SplitMix64(seed: CrashTests.seed)
            var made: [String] = []
            for round in 1...4 {
                let names = (1...3).map { "g\(round)-\($0)" }
                let change = Task {
                    for name in names {
                        // One that was not answered may have been done.
                        _ = try? await road.run("martlet", ["group", "create", name])
                    }
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 50..<600, using: &moments)))
                try road.server.killNow()
                await change.value
                try await road.startServer(Self.options[0], Self.options[1])
                made += names
            }
            try await road.martlet("group", "create", "last")
            try await wait(receiver, "the last group") { $0.contains { $0.subject == "last" } }
            let entries = try await road.martlet("audit", "list", "--action", "group.create", "--all", "--json")
            let log = try JSONSerialization.jsonObject(with: Data(entries.utf8)) as? [[String: Any]]
            let expected = try #require(log).compactMap { $0["subject"] as? String }.reversed()
                .filter { made.contains($0) || $0 == "last" }
            #expect(receiver.events.map(\.subject) == Array(expected))
            #expect(receiver.events.map(\.sequence) == receiver.events.map(\.sequence).sorted())
        }
    }

    /// The receiver goes away while there is something for it, and comes back: what waited arrives, each entry, in its order,
    /// and nothing again that had arrived.
    @Test(.enabled(if: hasPython, "python3 is the receiver"))
    func whatWaitsForAReceiverThatIsGoneArrivesInItsOrder() async throws {
        try await Road.with(options: Self.options) { road in
            let first = try await startReceiver(road, secrets: "whsec_AAAA")
            let secret = try await add(road, first, events: "group.*")
            first.process.killNow()
            _ = try await first.process.exit()
            let before = try await startReceiver(road, secrets: secret, port: first.port)
            try await road.martlet("group", "create", "before")
            try await wait(before, "the first group") { !$0.isEmpty }
            before.process.killNow()
            _ = try await before.process.exit()
            let waiting = (1...4).map { "waiting-\($0)" }
            for name in waiting { try await road.martlet("group", "create", name) }
            // At least one attempt at the first of them has failed.
            try await eventually("something was tried") {
                try await road.martlet("webhook", "show", "tickets").contains("failing")
            }
            let after = try await startReceiver(road, secrets: secret, port: first.port)
            try await road.martlet("group", "create", "last")
            try await wait(after, "the last group") { $0.contains { $0.subject == "last" } }
            #expect(before.events.map(\.subject) == ["before"])
            #expect(after.events.map(\.subject) == waiting + ["last"])
            #expect(after.events.map(\.sequence) == after.events.map(\.sequence).sorted())
        }
    }
}
