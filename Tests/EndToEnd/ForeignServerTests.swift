import Foundation
import Testing

/// The agent with a server of another make: D1.
///
/// What the server sends stands byte for byte in `Tests/Interoperation/conversations`.
@Suite(
    .serialized, .inTurn, .timeLimit(.minutes(10)),
    .enabled(if: ForeignServer.pythonIsThere, "PyPI's packages are not installed: make setup does so"))
struct ForeignServerTests {
    private static let secrets = ["challenge-of-this-profile", "password-of-this-identity"]

    /// Enrollment, commands, declarations, an asset, status reports and the end, with nothing but Apple's protocol.
    @Test func anAppIsConfiguredByAServerThatKnowsNothingOfMartlet() async throws {
        try await ForeignServer.with("nanomdm") { server in
            let enrolled = try await server.enroll("plain.mobileconfig")
            #expect(enrolled.status == 0, "\(enrolled.text)")
            let (agent, name) = try await server.startAgent("--poll-interval", "1")
            #expect(enrolled.text.contains("enrolled as \(name)"))
            let app = try server.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Another server's")
            try await server.until("the server was told that its configuration is valid") {
                try server.requests().compactMap(\.report?.items?.management?.declarations?.configurations)
                    .joined().contains { $0.identifier == "org.example.landmarks" && $0.valid == "valid" }
            }
            let requests = try server.requests()
            #expect(requests.prefix(4).map(\.request) == ["scep", "authenticate", "token-update", "command"])
            #expect(requests.first?.subject?.contains("CN=\(name)") == true && requests.first?.challenge == true)
            // D1: a proxy in front of such a server passes on the signature, TLS without one the certificate.
            for request in requests.dropFirst() where request.request != "asset" {
                #expect(request.certificate == true && request.signature == "sha256", "\(request)")
            }
            let commands = requests.filter { $0.request == "command" }
            #expect(commands.first?.status == "Idle")
            #expect(
                Array(commands.dropFirst().prefix(4).compactMap(\.status)) == [
                    "Acknowledged", "Acknowledged", "Error", "Acknowledged",
                ])
            let profiles = String(decoding: commands.dropFirst(2).first?.message ?? Data(), as: UTF8.self)
            #expect(profiles.contains("org.example.enrollment"))
            // Nobody can wake the device: it asks by itself.
            let idle = commands.count(where: { $0.status == "Idle" })
            try await server.until("the agent asks again") {
                try server.requests().count(where: { $0.status == "Idle" }) > idle
            }
            let status = try await server.agent(["status"])
            #expect(status.text.contains("by a profile") && status.text.contains("without      wake"), "\(status.text)")
            let json = try await server.agent(["status", "--json"])
            #expect(json.text.contains(#""missingExtensions" : ["#), "\(json.text)")
            let left = try await server.agent(["unenroll"])
            #expect(left.text == "left the server")
            #expect(try server.requests().last?.request == "check-out")
            for secret in Self.secrets {
                #expect(!agent.output.contains { $0.text.contains(secret) } && !enrolled.text.contains(secret))
            }
        }
    }

    /// Chunks, no media types, redirections, fractions of seconds, answers that fail once, a declaration that is gone, a
    /// profile that is signed and pins its server, and an authority of old.
    @Test func serversMayBeOdd() async throws {
        try await ForeignServer.with("quirks", legacyAuthority: true) { server in
            let refused = try await server.enroll("signed.mobileconfig")
            #expect(refused.status == 1 && refused.text.contains("--allow-legacy-cryptography"), "\(refused.text)")
            let enrolled = try await server.enroll("signed.mobileconfig", "--allow-legacy-cryptography")
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await server.startAgent("--poll-interval", "1")
            let app = try server.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Quirks")
            try await server.until("a report was taken") {
                try server.requests().count(where: { $0.request == "status" }) >= 2
            }
            let requests = try server.requests()
            let checkIns = requests.filter { $0.request == "authenticate" }
            #expect(checkIns.allSatisfy { $0.path == "/mdm/checkin/" })
            #expect(requests.contains { $0.request == "command" && $0.path == "/mdm/connect/" })
            let left = try await server.agent(["unenroll"])
            #expect(left.text.hasPrefix("left; the server could not be told: an administrator has to withdraw"))
        }
    }

    /// An identity that comes with the profile, to an agent that runs already.
    @Test func anIdentityMayComeWithTheProfile() async throws {
        try await ForeignServer.with("nanomdm") { server in
            let (agent, _) = try await server.startAgent()
            let enrolled = try await server.enroll("identity.mobileconfig")
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await server.until("declarations were asked for") {
                try server.requests().contains { $0.request == "declaration-items" }
            }
            #expect(try !server.requests().contains { $0.request == "scep" })
            for secret in Self.secrets { #expect(!agent.output.contains { $0.text.contains(secret) }) }
        }
    }

    /// Stock curl, as a managed app that runs all the while, reads a server whose root an administrator assigns, and no
    /// more once the assignment is taken back.
    @Test func aManagedAppTrustsAnAssignedRoot() async throws {
        try await ForeignServer.with("roots") { server in
            try server.installScript(
                """
                while :; do
                    curl -sS --max-time 20 \(server.address())/assets/page 2>&1; echo "curl said $? of $SSL_CERT_FILE"
                    sleep 1
                done
                """)
            _ = try await server.enroll("plain.mobileconfig")
            try await server.startAgent("--poll-interval", "1")
            let valid = "the server was told that the certificate is in effect"
            try await server.until(valid) {
                try server.requests().compactMap(\.report?.items?.management?.declarations?.configurations)
                    .joined().contains { $0.identifier == "org.example.root" && $0.valid == "valid" }
            }
            let listed = try server.requests().compactMap(\.report?.items?.security?.certificate?.list).joined()
            #expect(listed.contains { $0.subject == "CN=another maker's authority" }, "\(Array(listed))")
            let app = try server.openScript()
            let bundle = server.agentDirectory + "/trust/roots.pem"
            _ = try await app.line(containing: "curl said 0 of \(bundle)")
            try server.goOn()
            // 60: the peer's certificate cannot be verified by known roots.
            _ = try await app.line(containing: "curl said 60 of \(bundle)")
            try await server.until("the server was told that the certificate is gone") {
                try server.requests().compactMap(\.report?.items?.security?.certificate?.list).joined()
                    .contains { $0.isRemoved == true }
            }
            #expect(try await server.agent(["unenroll"]).text == "left the server")
        }
    }
}
