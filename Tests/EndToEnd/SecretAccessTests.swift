import Foundation
import Testing
import Waiting

/// Processes that ask for another app's secrets get nothing: A12, S4-SEC-02.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct SecretAccessTests {
    /// Neither another app of the same user nor the app's own program, started by somebody else, be it another user.
    ///
    /// They have all that the app was started with. Those that are no app are in the agent's log.
    @Test func nobodyButTheAppGetsItsSecrets() async throws {
        try await Road.with { road in
            let first = try await SecretsAppOnRoad.installed(as: "com.example.first", on: road)
            let second = try await SecretsAppOnRoad.installed(as: "com.example.second", on: road)
            try await road.enroll()
            let badge = try await road.makePKCS12("badge", password: "of-badge")
            try await road.setPassword("account", "for-the-first-app")
            try await road.setIdentity("badge", pkcs12: badge, password: "of-badge")
            try await first.give("account", as: "account")
            try await first.give("badge", as: "badge")
            try await road.synchronised()
            let running = try first.follow()
            try await running.says("password", ["account=\(sum("for-the-first-app"))"])

            #expect(try await second.ask("password", "account") == "account: invalidIdentifier")
            #expect(try await second.ask("identity", "badge") == "badge: invalidIdentifier")
            try await expectNothingOfAnExtension(first, badge)

            let mark = try road.agent.mark
            let process = try #require(try road.appProcesses(under: "com.example.first.app").first)
            let environment = try Self.environment(of: process)
            #expect(environment["MARTLET_AGENT_SOCKET"] != nil)
            let stranger = try await run(road, [], environment)
            #expect(stranger == "password account: invalidIdentifier")
            _ = try await road.agent.line(containing: "was not launched as an app was refused", after: mark)
            if geteuid() == 0 {
                let another = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
                let nobody = try await run(road, another, environment)
                #expect(nobody.hasPrefix("password account: ") && !nobody.contains("="))
            }
            // The app itself is none the worse for it.
            #expect(try await first.ask("password", "account") == "account=\(sum("for-the-first-app"))")
        }
    }

    /// S4-VPN-03 (the host app's half): the device has the extension's identity, and the app around it does not.
    private func expectNothingOfAnExtension(_ app: SecretsAppOnRoad, _ file: URL) async throws {
        let (road, host) = (app.app.road, app.app.identifier)
        try await road.setIdentity("tunnel", pkcs12: file, password: "of-badge")
        try await road.martlet(
            "secret", "assign", "teachers", host, "--identifier", "tunnel", "--secret", "tunnel", "--extension",
            host + ".tunnel")
        try await eventually("the device has it") {
            try await road.martlet("audit", "list", "--action", "secret.release", "--subject", "tunnel", "--json")
                .contains("tunnel")
        }
        try await road.synchronised()
        #expect(try await app.ask("identity", "tunnel") == "tunnel: invalidIdentifier")
    }

    /// The first app's program outside the agent, with its environment.
    private func run(_ road: Road, _ prefix: [String], _ environment: [String: String]) async throws -> String {
        let program = road.home.appending(path: "apps/com.example.first.app/SecretsApp").path
        var environment = environment
        environment["PATH"] = "/usr/bin:/bin"
        // What an app inherits is a connection; this one leads nowhere.
        let play = """
            import os, socket, sys
            ends, number = socket.socketpair(), int(os.environ["MARTLET_AGENT_FD"])
            os.dup2(ends[0].fileno(), number)
            os.set_inheritable(number, True)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let process = try RunningProcess(
            "stranger", URL(filePath: "/usr/bin/env"),
            prefix + ["python3", "-c", play, program, "ask", "password", "account"], environment: environment)
        defer { process.killNow() }
        return try await process.line(containing: "password ").text
    }

    private static func environment(of process: Int32) throws -> [String: String] {
        let pairs = try String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8).split(separator: "\0")
            .map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }
}
