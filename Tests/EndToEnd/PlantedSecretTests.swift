import Crypto
import Foundation
import Synchronization
import Testing
import Waiting

/// Where secrets are after they were used: in the server and on the device sealed, and nowhere else.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct PlantedSecretTests {
    /// S4-SEC-01, S4-SEC-03, S4-DATA-03, S2-CODE-03, S4-BP-03: a secret is in no file, log, answer, argument or
    /// environment and, if longer than fifteen bytes, in no memory.
    @Test func noSecretIsInClearAfterItWasUsed() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            let secrets = try await plant(road)
            let pieces = secrets.flatMap(\.pieces)
            for name in ["account", "wifi", "badge"] { try await app.give(name, as: name) }
            try await road.synchronised()
            let running = try app.follow()
            _ = try await running.line(containing: "password [account=")
            _ = try await running.identity("badge")

            try await Administrator.with(road) { administrator in
                for path in [
                    "/secrets", "/secrets/account", "/secrets/badge", "/secrets/account/versions",
                    "/secret-assignments", "/audit", "/devices/\(road.udid)", "/apps/\(app.app.identifier)",
                ] {
                    let answer = try await administrator.send("GET", path)
                    #expect(found(pieces, in: answer).isEmpty, "\(path)")
                }
            }
            for process in road.processes.withLock({ $0 }) {
                let said = Data(process.output.map(\.text).joined(separator: "\n").utf8)
                #expect(found(pieces, in: said).isEmpty, "\(process.name)")
            }
            for folder in ["server", "agent", "apps"] {
                #expect(try files(below: road.home.appending(path: folder), with: pieces).isEmpty)
            }

            let process = try #require(try road.appProcesses(under: "com.example.secrets.app").first)
            let processes = [
                ("server", try road.server.identifier), ("agent", try road.agent.identifier), ("app", process),
            ]
            // Text of fifteen bytes or fewer lies in registers and wherever they were put aside: nothing of ours reaches it.
            let kept = secrets.filter { $0.bytes.count > 15 }.flatMap(\.pieces)
            for (name, identifier) in processes {
                for file in geteuid() == 0 ? ["cmdline", "environ"] : ["cmdline"] {
                    let bytes = try Data(contentsOf: URL(filePath: "/proc/\(identifier)/\(file)"))
                    #expect(!bytes.isEmpty && found(pieces, in: bytes).isEmpty, "\(name) \(file)")
                }
                // Nobody but root may look.
                guard geteuid() == 0 else {
                    #expect(throws: (any Error).self) { try ProcessMemory(process: identifier).find(kept) }
                    continue
                }
                // Buffers of a connection go when it has been idle for a while.
                var findings: [ProcessMemory.Finding] = []
                try await eventually("\(name) holds nothing, but \(findings)") { () -> Bool in
                    findings = try ProcessMemory(process: identifier).find(kept)
                    // It stands still while it is looked at, and has something to do in between.
                    if !findings.isEmpty { try await Task.sleep(for: .seconds(1)) }
                    return findings.isEmpty
                }
                // The same search finds what is there.
                let known = [("the app's identifier", Data("com.example.secrets".utf8))]
                #expect(try !ProcessMemory(process: identifier).find(known).isEmpty || name == "app")
            }
            // All of it is still to be had.
            #expect(try await app.ask("password", "account").hasPrefix("account="))
        }
    }

    /// Sets two passwords, one so short that Swift keeps it in a register, and an identity.
    private func plant(_ road: Road) async throws -> [PlantedSecret] {
        let account = "planted-\(UUID().uuidString.lowercased())"
        let wifi = "pl4nt3d!\(Int.random(in: 100_000...999_999))"
        let opens = "planted-\(UUID().uuidString)"
        try await road.setPassword("account", account, userName: "guest")
        try await road.setPassword("wifi", wifi)
        let file = try await road.makePKCS12("badge", password: opens)
        try await road.setIdentity("badge", pkcs12: file, password: opens)
        let key = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOf: road.home.appending(path: "badge.key"), encoding: .utf8))
        return [
            PlantedSecret(name: "a password", bytes: Data(account.utf8)),
            PlantedSecret(name: "a short password", bytes: Data(wifi.utf8)),
            PlantedSecret(name: "the password of an identity", bytes: Data(opens.utf8)),
            PlantedSecret(name: "the key of an identity", bytes: key.rawRepresentation),
        ]
    }

    /// S4-SEC-01: after an update no configuration, the new one or the one before, is in clear below the agent's directory,
    /// where the homes of the apps are, nor at the server but in its database, as the threat model says; a secret is in
    /// clear nowhere.
    @Test func aConfigurationIsInClearInTheServersDatabaseAlone() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            let secrets = try await SecretsAppOnRoad.installed(on: road)
            let marks = ["old configuration", "old password", "new configuration", "new password"].map {
                PlantedSecret(name: $0, bytes: Data("marked-\(UUID().uuidString.lowercased())".utf8))
            }
            var app: RunningProcess?
            for (configuration, password) in [(marks[0], marks[1]), (marks[2], marks[3])] {
                try await echo.configure(json: #"{"note": "\#(configuration.text)"}"#)
                try await road.setPassword("account", password.text)
                if app == nil {
                    try await echo.assign()
                    try await secrets.give("account", as: "account")
                    try await road.enroll()
                    app = try echo.open("any")
                }
                try await road.synchronised()
                _ = try await app?.line(containing: "value {\"note\":\"\(configuration.text)\"}")
                #expect(try await secrets.ask("password", "account") == "account=\(sum(password.text))")
            }
            let all = marks.flatMap(\.pieces)
            let agent = try files(below: URL(filePath: road.agentDirectory), with: all)
            #expect(agent.isEmpty, "\(agent)")
            let server = URL(filePath: road.serverDirectory)
            let database = server.appending(path: "martlet.sqlite").path
            // The write-ahead log is among what is searched.
            #expect(FileManager.default.fileExists(atPath: database + "-wal"))
            for mark in marks {
                let files = try files(below: server, with: mark.pieces)
                let isConfiguration = mark.name.hasSuffix("configuration")
                #expect(files.isEmpty != isConfiguration, "\(mark.name): \(files)")
                #expect(files.allSatisfy { $0.hasPrefix(database) }, "\(mark.name): \(files)")
            }
            // What was searched is where things are.
            let known = [("an app's home", Data("com.example.echo+0@unsigned".utf8))]
            #expect(try !files(below: URL(filePath: road.agentDirectory), with: known).isEmpty || !Road.appsHaveUsers)
        }
    }

    /// The files below a folder in which any of the pieces is.
    private func files(below folder: URL, with pieces: [(what: String, bytes: Data)]) throws -> [String] {
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey]))
        var holders: [String] = []
        for case let file as URL in files {
            // A file that has gone meanwhile holds nothing.
            let values = try? file.resourceValues(forKeys: [.isRegularFileKey])
            guard values?.isRegularFile == true, let bytes = try? Data(contentsOf: file) else { continue }
            let held = found(pieces, in: bytes)
            if !held.isEmpty { holders.append("\(file.path): \(held)") }
        }
        return holders
    }

    private func found(_ pieces: [(what: String, bytes: Data)], in bytes: Data) -> [String] {
        pieces.filter { bytes.contains(bytesOf: $0.bytes) }.map(\.what)
    }
}
