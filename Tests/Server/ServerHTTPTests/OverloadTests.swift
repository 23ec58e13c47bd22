import ACME
import AdminMessages
import CryptographicMessages
import Foundation
import InputBounds
import Management
import SCEP
import StoreSQLite
import Testing

/// A store with more writes waiting than it can take: whoever asks for one more hears "later", and is served later.
@Suite struct OverloadTests {
    @Test func `every entrance says later when the store is full, and serves when it is not`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        try await IdentityFixture.with(recipe) { (fixture) async throws in
            let attempts = try await Attempts(fixture)
            try await FullStore.run(fixture.server.store) {
                for (name, attempt) in attempts.all {
                    let answer = try await attempt()
                    #expect(answer.status == 503, "\(name): \(answer.status)")
                    #expect(answer.headers["retry-after"].flatMap { Int($0) } != nil, "\(name)")
                }
            }
            for (name, attempt) in attempts.all {
                let status = try await attempt().status
                #expect([200, 201].contains(status), "\(name): \(status)")
            }
        }
    }

    /// Requests that make the server write, prepared so that they need nothing more from it.
    private struct Attempts {
        let all: [(String, () async throws -> Answer)]

        init(_ fixture: IdentityFixture) async throws {
            let (server, client, admin) = (fixture.server, fixture.client, fixture.admin)
            let code = try await admin.code().code
            let enrollment = try await Self.scep(code, server.baseURL + "/scep", fixture)
            let identity = try await Self.scep(
                fixture.challenge(), server.baseURL + "/scep/identities", fixture)
            let account = AccountKey.generate()
            let url = server.baseURL + "/acme/new-account"
            let token = fixture.device.topic
            all = [
                ("admin", { try await admin.send("POST", "/groups", Group(name: "later-\(UUID().uuidString)")) }),
                ("enrollment by SCEP", enrollment), ("identity by SCEP", identity),
                ("device", { try await fixture.device.updateToken(magic: "other " + token) }),
                (
                    "ACME",
                    {
                        let nonce = try await client.send("HEAD", server.baseURL + "/acme/new-nonce")
                        let body = try SignedRequest.sign(
                            payload: .object([:]), url: url, nonce: nonce.headers["replay-nonce"] ?? "",
                            account: nil, key: account)
                        return try await client.send(
                            "POST", url, headers: ["content-type": ACMEHTTPRequest.contentType], body: body)
                    }
                ),
            ]
        }

        private static func scep(
            _ challenge: String, _ url: String, _ fixture: IdentityFixture
        ) async throws -> () async throws -> Answer {
            let client = fixture.client
            let authority = try await client.send("GET", url + "?operation=GetCACert").body
            let (message, _) = try SCEPClient.makeRequest(
                subject: [[["CN", "one"]]], challenge: challenge, key: DeviceKeys.first(), caCertificate: authority,
                capabilities: [.aes, .sha256, .postPKIOperation], now: Date())
            return {
                try await client.send(
                    "POST", url + "?operation=PKIOperation", headers: ["Content-Type": "application/x-pki-message"],
                    body: message)
            }
        }
    }
}

/// Keeps a store's writer busy and its queue full for as long as something runs.
private enum FullStore {
    static func run(_ store: SQLiteStore, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await HeldWriter.of(store) { _ in
                let (full, filling) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<10_200 {
                    group.addTask {
                        do {
                            try await store.recordTold(device: "none", epoch: 1, token: "t", now: Date())
                        } catch is StoreOverload { filling.finish() }
                    }
                }
                for await _ in full {}
                try await body()
            }
            try await group.waitForAll()
        }
    }
}
