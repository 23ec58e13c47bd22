import ACME
import AsyncHTTPClient
import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import InputBounds
import Management
import SCEP
import Synchronization
import Testing

/// The ACME entrance over the wire, with our own client and with requests that break one rule each.
@Suite struct ACMERouteTests {
    @Test func aDeviceObtainsTheCertificateThatItsIdentifierIsFor() async throws {
        try await with { (server, client) async throws in
            let identifier = try await grant(server)
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            let chain = try await obtain(identifier, key: key, server, client)
            let leaf = try #require(chain.certificates.first)
            #expect(Authority.publicKeyInfo(of: leaf) == key.publicKeyInfo)
            #expect(chain.certificates.last == server.authority.certificateDER)
            // It is for clients; which enrollment it belongs to is not in it, so that it opens no device channel.
            guard case .issuedByUs(let facts) = server.authority.judge(leaf, now: Date()) else {
                Issue.record("not issued by us")
                return
            }
            #expect(facts.subject == "device one")
            #expect(facts.notAfter < Date() + 3_700)
        }
    }

    /// S4-DATA-07: a software-only key is refused when attestation is required.
    @Test func whereAttestationIsDemandedASoftwareKeyGetsNothing() async throws {
        try await with { (server, client) async throws in
            let identifier = try await grant(server, attest: true)
            await #expect(throws: ACMERefusal.invalid(problem: "badAttestationStatement")) {
                try await obtain(identifier, key: .p256(P256.Signing.PrivateKey()), server, client)
            }
        }
    }

    @Test func aNewerIdentifierEndsTheOlderAndAWithdrawnOneEndsAtOnce() async throws {
        try await with { (server, client) async throws in
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            let older = try await grant(server)
            let newer = try await grant(server)
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await obtain(older, key: key, server, client)
            }
            await #expect(throws: ACMERefusal.status(403, problem: "unauthorized")) {
                try await obtain(newer, key: key, server, client) {
                    try await server.management.withdrawClientIdentifiers(secret: "vpn", device: "D1")
                }
            }
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await obtain(newer, key: key, server, client)
            }
        }
    }

    /// The first order takes the identifier for its account: whoever learns it later gets nothing by it.
    @Test func anIdentifierServesOneAccount() async throws {
        try await with { (server, client) async throws in
            let identifier = try await grant(server)
            let account = AccountKey.generate()
            for _ in 0..<2 {
                _ = try await obtain(
                    identifier, key: .p256(P256.Signing.PrivateKey()), account: account, server, client)
            }
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await obtain(identifier, key: .p256(P256.Signing.PrivateKey()), server, client)
            }
        }
    }

    @Test func aRequestIsTakenOnceAtItsURLInItsMediaType() async throws {
        try await with { (server, client) async throws in
            let url = server.baseURL + "/acme/new-account"
            let key = AccountKey.generate()
            let nonce = try await nonce(server, client)
            func sign(_ nonce: String?, url target: String? = nil) throws -> Data {
                try SignedRequest.sign(
                    payload: .object([:]), url: target ?? url, nonce: nonce, account: nil, key: key)
            }
            let body = try sign(nonce)
            #expect(try await code(client, url, body, type: "application/json") == "malformed")
            #expect(try await code(client, url, body) == nil)
            #expect(try await code(client, url, body) == "badNonce")
            #expect(try await code(client, url, sign(nil)) == "badNonce")
            let fresh = try await self.nonce(server, client)
            #expect(try await code(client, url, sign(fresh, url: url + "/")) == "unauthorized")
            // Where it was refused for its URL the nonce was not used up.
            #expect(try await code(client, url, sign(fresh)) == nil)
            #expect(try await client.send("POST", url, headers: Self.headers, body: Data(count: 70_000)).status == 413)
        }
    }

    // MARK: Support

    private static let headers = ["content-type": ACMEHTTPRequest.contentType]

    private func with(_ test: (TestServer, HTTPClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { client in try await test(server, client) }
        }
    }

    private func grant(_ server: TestServer, attest: Bool = false) async throws -> String {
        try await server.management.handOutClientIdentifier(
            secret: "vpn", device: "D1",
            terms: ACMEGrant.Terms(commonName: "device one", attest: attest, validSeconds: 3_600))
    }

    private func nonce(_ server: TestServer, _ client: HTTPClient) async throws -> String {
        let answer = try await client.send("HEAD", server.baseURL + "/acme/new-nonce")
        #expect(answer.status == 200)
        return try #require(answer.headers["replay-nonce"])
    }

    /// The last part of the problem's type; nothing where the request was taken.
    private func code(
        _ client: HTTPClient, _ url: String, _ body: Data, type: String = ACMEHTTPRequest.contentType
    ) async throws -> String? {
        let answer = try await client.send("POST", url, headers: ["content-type": type], body: body)
        #expect(answer.headers["replay-nonce"] != nil)
        return answer.status < 300
            ? nil : ACMEServerProblem(try JSONValue(parsing: answer.body, limits: .adminBody)).code
    }

    /// Our client's whole way; `meanwhile` happens before the challenge is answered.
    private func obtain(
        _ identifier: String, key: SigningKey, account: AccountKey = .generate(), _ server: TestServer,
        _ http: HTTPClient, meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> ACMEChain {
        let client = ACMEClient(
            send: { request in
                let headers = request.body == nil ? [:] : Self.headers
                let answer = try await http.send(
                    request.method.rawValue, request.url, headers: headers, body: request.body)
                return ACMEHTTPResponse(status: Int(answer.status), headers: answer.headers, body: answer.body)
            },
            prove: { _, _, _ in
                try await meanwhile()
                return .object(["attObj": .string("oA")])
            }, pause: { _ in })
        return try await client.obtain(
            ACMEExchange.Wish(
                directoryURL: server.baseURL + "/acme/directory",
                identifiers: [ACMEIdentifier(.permanentIdentifier, identifier)],
                challengeType: ACMEChallenge.deviceAttest,
                certificateRequest: CertificateRequest.make(subject: [[["CN", "mine"]]], challenge: nil, key: key),
                accountKey: account))
    }
}

extension HTTPClient {
    /// Uses the client and shuts it down, however the use ends.
    func with(_ use: (HTTPClient) async throws -> Void) async throws {
        do {
            try await use(self)
        } catch {
            try await shutdown()
            throw error
        }
        try await shutdown()
    }
}
