import CertificateAuthority
import Foundation
import Testing

/// The server's certificate: the operator's own, in files, or one that the server issues to itself.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ServerCertificateTests {
    /// Red where a reload overwrote an operator's `server.pem` with its key, and a start overwrote garbage.
    @Test func whatTheServerDidNotWriteStaysAsItIs() async throws {
        try await Road.with { road in
            let before = try await Self.shown(road)
            let file = road.serverDirectory + "/server.pem"
            let own = try Self.issue(road, ["localhost", "127.0.0.1"])
            for text in ["garbage\n", own.certificate + own.key] {
                try Self.write(text, to: file)
                let mark = try road.server.mark
                try road.server.send(SIGHUP)
                let line = try await road.server.line(containing: "was not reloaded", after: mark)
                #expect(line.text.contains("--certificate-file"), "\(line.text)")
                #expect(try await Self.shown(road) == before)
                try await road.stop(try road.server)
                let start = try await road.run(
                    "martlet-server", ["run", "--data-directory", road.serverDirectory, "--port", "0"])
                #expect(start.status == 1 && start.text.contains("--certificate-file"), "\(start.text)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
                try FileManager.default.removeItem(atPath: file)
                try await road.startServer()
            }
            // Named, it is what the server shows, and stays the operator's.
            try Self.write(own.certificate + own.key, to: file)
            try await road.stop(try road.server)
            try await road.startServer("--certificate-file", file)
            #expect(try await Self.shown(road) == Self.serial(of: file, road))
            try await road.martlet("group", "list")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == own.certificate + own.key)
        }
    }

    /// What a server of before wrote is taken over under its new name.
    ///
    /// Red where it was taken for somebody else's.
    @Test func theCertificateOfAServerOfBeforeIsMoved() async throws {
        try await Road.with { road in
            let before = try await Self.shown(road)
            try await road.stop(try road.server)
            let (old, new) = (road.serverDirectory + "/server.pem", road.serverDirectory + "/issued-server.pem")
            let bytes = try Data(contentsOf: URL(filePath: new))
            try FileManager.default.moveItem(atPath: new, toPath: old)
            try await road.startServer()
            #expect(try await Self.shown(road) == before)
            #expect(!FileManager.default.fileExists(atPath: old))
            #expect(try Data(contentsOf: URL(filePath: new)) == bytes)
        }
    }

    /// Red where only a start reads the files, and where only the health page shows the end.
    @Test func filesThatAreReplacedAreTakenOverAndTheirEndIsSaid() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let (certificate, key) = (road.home.path + "/own.pem", road.home.path + "/own.key")
            let first = try Self.issue(road, ["localhost"], days: 20)
            try Self.write(first.certificate, to: certificate)
            try Self.write(first.key, to: key)
            try await road.startServer("--certificate-file", certificate, "--key-file", key)
            _ = try await road.server.line(containing: "the server's certificate ends soon")
            _ = try await road.server.line("the name that is not in it") {
                $0.contains("lacks a name") && $0.contains("127.0.0.1")
            }
            #expect(try await road.martlet("health").contains("it ends within 30 days"))
            let shown = try await Self.shown(road)
            // One file after the other: the pair of before goes on until both are there.
            let second = try Self.issue(road, ["localhost", "127.0.0.1"], days: 300)
            try Self.write(second.certificate, to: certificate)
            let mark = try road.server.mark
            try road.server.send(SIGHUP)
            let refused = try await road.server.line(containing: "was not reloaded", after: mark)
            #expect(refused.text.contains("does not belong"), "\(refused.text)")
            #expect(try await Self.shown(road) == shown)
            try Self.write(second.key, to: key)
            _ = try await road.server.line(containing: "was replaced", after: mark)
            #expect(try await Self.shown(road) == Self.serial(of: certificate, road))
            let health = try await road.martlet("health").split(separator: "\n")
            let line = try #require(health.first { $0.contains("certificate server") })
            #expect(!line.contains("it ends"), "\(line)")
        }
    }

    /// A first start with another authority's certificate says what the login needs: that authority's file, not ca.pem.
    ///
    /// Red where only ca.pem and its fingerprint were printed, which the login then refuses.
    @Test func aFirstStartNamesTheOperatorsCertificate() async throws {
        try await Road.with { road in
            let file = road.home.path + "/own.pem"
            let other = try Authority.create(commonName: "Another authority", now: Date())
            let issued = try other.issueServer(
                hostnames: ["localhost", "127.0.0.1"], now: Date(), validity: 90 * 86_400)
            try Self.write(issued.certificatePEM + "\n" + issued.keyPEM + "\n", to: file)
            try Self.write(other.certificatePEM + "\n", to: road.home.path + "/another.pem")
            let server = try road.startAlone(
                "martlet-server",
                ["run", "--data-directory", road.home.path + "/fresh", "--port", "0", "--certificate-file", file])
            let ready = try await server.line(containing: "martlet-server ready ")
            let lines = server.output.map(\.text)
            #expect(lines.contains("certificate: \(file)"), "\(lines)")
            #expect(lines.contains { $0.contains("--ca-file") && $0.contains("not ca.pem") }, "\(lines)")
            let digest = try await road.shell("openssl x509 -in '\(file)' -noout -fingerprint -sha256")
            let digits = digest.drop { $0 != "=" }.dropFirst().filter { $0 != ":" }.lowercased()
            #expect(lines.contains("certificate's fingerprint (SHA-256): \(digits)"), "\(digest)\n\(lines)")
            // The lines are true: a login with that authority succeeds.
            let password = try #require(lines.first { $0.hasPrefix("one-time password: ") }).dropFirst(19)
            let address = String(ready.text.split(separator: " ").last ?? "")
            try await road.shell(
                """
                printf '%s\\nan own long password\\n' '\(password)' | MARTLET_SESSION=fresh.json \
                    '\(Road.binary("martlet").path)' login --server \(address) --ca-file another.pem --name admin \
                    --password-stdin --new-password-stdin
                """)
        }
    }

    /// Red where the first error was the last: a library's own words, without the file.
    @Test func aStartNamesTheFileAndTheRemedy() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let (certificate, key) = (road.home.path + "/own.pem", road.home.path + "/own.key")
            let (own, other) = (try Self.issue(road, ["localhost"]), try Self.issue(road, ["localhost"]))
            func start(_ options: String...) async throws -> String {
                let arguments = ["run", "--data-directory", road.serverDirectory, "--port", "0"] + options
                let result = try await road.run("martlet-server", arguments)
                #expect(result.status > 0)
                return result.text
            }
            let named = ["--certificate-file", certificate, "--key-file", key]
            #expect(try await start("--key-file", key).contains("--certificate-file"))
            try Self.write(own.certificate, to: certificate)
            #expect(try await start(named[0], named[1], named[2], named[3]).contains(key))
            try Self.write(own.key, to: key, mode: 0o644)
            #expect(try await start(named[0], named[1], named[2], named[3]).contains("chmod 600"))
            try Self.write(other.key, to: key)
            #expect(try await start(named[0], named[1], named[2], named[3]).contains("does not belong"))
        }
    }

    // MARK: help

    private static func issue(
        _ road: Road, _ hostnames: [String], days: Double = 90
    ) throws -> (certificate: String, key: String) {
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: road.serverDirectory + "/" + name, encoding: .utf8)
        }
        let authority = try Authority(certificatePEM: text("ca.pem"), keyPEM: text("ca.key"))
        let issued = try authority.issueServer(hostnames: hostnames, now: Date(), validity: days * 86_400)
        return (issued.certificatePEM + "\n", issued.keyPEM + "\n")
    }

    private static func write(_ text: String, to file: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    /// The number of the certificate that a new connection is shown.
    private static func shown(_ road: Road) async throws -> String {
        let address = "127.0.0.1:" + (road.url.split(separator: ":").last ?? "")
        return try await road.shell(
            "openssl s_client -connect \(address) </dev/null 2>/dev/null | openssl x509 -noout -serial")
    }

    private static func serial(of file: String, _ road: Road) async throws -> String {
        try await road.shell("openssl x509 -in '\(file)' -noout -serial")
    }
}
