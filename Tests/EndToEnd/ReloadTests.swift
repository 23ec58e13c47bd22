import Foundation
import Testing
import Waiting

/// What a running server takes over when it is asked to (SIGHUP, `systemctl reload`).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ReloadTests {
    /// A certificate that was replaced is shown to who connects from then on; who is connected stays so.
    @Test func anotherCertificateIsShownToNewConnectionsAlone() async throws {
        try await Road.with { road in
            let first = try await Self.serial(road)
            let open = try Self.connection(road)
            try await Self.ask(open)
            try FileManager.default.removeItem(atPath: road.serverDirectory + "/issued-server.pem")
            let before = try road.server.mark
            try road.server.send(SIGHUP)
            _ = try await road.server.line(containing: "reloaded", after: before)
            let second = try await Self.serial(road)
            #expect(second != first)
            try await Self.ask(open)
            open.process.killNow()
            let mark = try road.server.mark
            try road.server.send(SIGHUP)
            _ = try await road.server.line(containing: "reloaded", after: mark)
            #expect(try await Self.serial(road) == second, "one that is good is kept")
            #expect(try await road.martlet("group", "list").contains("teachers"))
        }
    }

    /// The server reports files that somebody else wrote, keeps them, and uses the earlier certificate on.
    ///
    /// Red where the first line was all that the server looked at.
    @Test func aFileThatSomebodyElseWroteLeavesTheOneOfBefore() async throws {
        try await Road.with { road in
            let first = try await Self.serial(road)
            let file = road.serverDirectory + "/issued-server.pem"
            let good = try String(contentsOfFile: file, encoding: .utf8)
            let header = String(good.prefix { $0 != "\n" })
            let other = try await road.shell("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256")
            let chain = good.components(separatedBy: "-----BEGIN PRIVATE KEY")[0]
                .components(separatedBy: "-----BEGIN EC PRIVATE KEY")[0]
            for bad in [header + "\nnonsense\n", chain + other + "\n"] {
                try bad.write(toFile: file, atomically: true, encoding: .utf8)
                let mark = try road.server.mark
                try road.server.send(SIGHUP)
                let line = try await road.server.line(containing: "was not reloaded", after: mark)
                #expect(line.text.contains("was not written by this server"), "\(line.text)")
                #expect(try await Self.serial(road) == first)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == bad)
            }
            try good.write(toFile: file, atomically: true, encoding: .utf8)
        }
    }

    /// The level of the log and the names in the certificate hold at once; of what needs another start it is said, and
    /// settings that cannot be read change nothing.
    @Test func settingsThatCanChangeDoAndTheOthersAreNamed() async throws {
        let settings = FileManager.default.temporaryDirectory.appending(
            path: "martlet-reload-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: settings) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: settings) }
        try write(#"{"logLevel": "info", "hostnames": ["localhost", "127.0.0.1"]}"#)
        try await Road.with(options: ["--config", settings.path]) { road in
            func reload(_ text: String) async throws -> RunningProcess.Line {
                let mark = try road.server.mark
                try road.server.send(SIGHUP)
                return try await road.server.line(containing: text, after: mark)
            }
            try write("{")
            _ = try await reload("nothing was reloaded")
            try write(
                #"{"logLevel": "debug", "hostnames": ["localhost", "127.0.0.1", "martlet.test"], "auditDays": 45}"#)
            let line = try await reload("need another start")
            #expect(line.text.contains("auditDays") && !line.text.contains("logLevel"), "\(line.text)")
            _ = try await road.server.line(containing: "reloaded", after: line.index)
            let names = try await road.shell(
                "openssl s_client -connect \(Self.address(road)) </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName"
            )
            #expect(names.contains("martlet.test"), "\(names)")
            let mark = try road.server.mark
            try await road.martlet("app", "create", Road.app, "--name", "Landmarks")
            _ = try await road.server.line(after: mark, "a line for whoever looks closely") {
                $0.contains(" debug")
            }
            try write(#"{"logLevel": "error", "hostnames": ["localhost", "127.0.0.1"]}"#)
            try road.server.send(SIGHUP)
            try await eventually("it says errors alone") { () -> Bool in
                let quiet = try road.server.mark
                try await road.martlet("app", "create", Road.app, "--name", "Landmarks")
                // What it said would have been read by then; where it is not, this is believed too early, and nothing fails.
                try await Task.sleep(for: .milliseconds(500))
                let said = try road.server.output.dropFirst(quiet)
                return !said.contains { $0.text.contains(" info") || $0.text.contains(" debug") }
            }
        }
    }
}

extension ReloadTests {
    private struct Connection {
        let process: RunningProcess
        let input: FileHandle
    }

    private static func address(_ road: Road) -> String { "127.0.0.1:" + (road.url.split(separator: ":").last ?? "") }

    /// The number of the certificate that a new connection is shown.
    private static func serial(_ road: Road) async throws -> String {
        try await road.shell(
            "openssl s_client -connect \(address(road)) </dev/null 2>/dev/null | openssl x509 -noout -serial")
    }

    /// A connection that is held open by openssl.
    private static func connection(_ road: Road) throws -> Connection {
        let input = Pipe()
        let process = try RunningProcess(
            "openssl", URL(filePath: "/usr/bin/openssl"),
            ["s_client", "-quiet", "-connect", address(road), "-CAfile", road.authority],
            environment: Road.environment(road.home), input: input.fileHandleForReading)
        road.keep(process)
        return Connection(process: process, input: input.fileHandleForWriting)
    }

    private static func ask(_ connection: Connection) async throws {
        let mark = connection.process.mark
        try connection.input.write(contentsOf: Data("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        _ = try await connection.process.line(containing: "HTTP/1.1 200", after: mark)
    }
}
