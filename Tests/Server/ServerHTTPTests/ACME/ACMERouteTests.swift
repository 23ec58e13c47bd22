import ACME
import AsyncHTTPClient
import CertificateAuthority
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import ServerHTTP
import Testing

/// The ACME entrance over the wire, with our own client and with requests that break one rule each.
@Suite struct ACMERouteTests {
    @Test func aDeviceObtainsTheCertificateThatItsIdentifierIsFor() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let server = fixture.server
            let document = try await fixture.document()
            #expect(document["DirectoryURL"]?.string == server.baseURL + "/acme/directory")
            let identifier = try #require(document["ClientIdentifier"]?.string)
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            let chain = try await fixture.obtain(identifier, key: key)
            let leaf = try #require(chain.certificates.first)
            #expect(Authority.publicKeyInfo(of: leaf) == key.publicKeyInfo)
            #expect(chain.certificates.last == server.identityAuthority.certificateDER)
            guard case .issuedByUs(let facts) = server.identityAuthority.judge(leaf, now: Date()) else {
                Issue.record("not issued by us")
                return
            }
            #expect(facts.subject == "device one")
            #expect(facts.notAfter < Date() + 30 * 86_400 + 60)
            // It is for clients, and opens no device channel.
            #expect(server.authority.judge(leaf, now: Date()) == .refused(.otherIssuer))
            let issued = try await server.management.auditEntries(
                AuditFilter(action: .issueIdentity, subject: "vpn"), PageRequest())
            #expect(issued.items.map(\.actor) == ["device:\(fixture.device.identifier.key)"])
        }
    }

    @Test func newAccountsOfAnAddressAreBoundedAndKnownOnesAreNot() async throws {
        var limits = ServerLimits.patient
        limits.newACMEAccounts = 1
        try await IdentityFixture.with(.ownACME(), clock: TestClock(stands: true), limits: limits) {
            (fixture) async throws in
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            let account = AccountKey.generate()
            for _ in 0..<2 {
                _ = try await fixture.obtain(try await fixture.clientIdentifier(), key: key, account: account)
            }
            let identifier = try await fixture.clientIdentifier()
            await #expect(throws: ACMERefusal.status(429, problem: "rateLimited")) {
                try await fixture.obtain(identifier, key: key, account: .generate())
            }
        }
    }

    /// A5: anybody can sign with a key of their own; who has an account is not kept out by them.
    @Test func requestsOfAnAddressThatNameNoAccountAreBoundedAndOthersAreNot() async throws {
        var limits = ServerLimits.patient
        limits.keySignedRequests = 1
        try await IdentityFixture.with(.ownACME(), limits: limits) { (fixture) async throws in
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            // One request by the key, and all others by the account.
            _ = try await fixture.obtain(try await fixture.clientIdentifier(), key: key)
            let identifier = try await fixture.clientIdentifier()
            await #expect(throws: ACMERefusal.status(429, problem: "rateLimited")) {
                try await fixture.obtain(identifier, key: key)
            }
        }
    }

    @Test func aKeyOfAnotherKindThanTheRecipesGetsNothing() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let identifier = try await fixture.clientIdentifier()
            await #expect(throws: ACMERefusal.status(400, problem: "badCSR")) {
                try await fixture.obtain(identifier, key: .p384(P384.Signing.PrivateKey()))
            }
        }
    }

    /// Several apps may find the same secret: a newer identifier leaves the older one alone, a newer version does not.
    @Test func anIdentifierEndsWithItsVersionAndWithTheAssignment() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let key = SigningKey.p256(P256.Signing.PrivateKey())
            // Of one account, so that it is not the account that is refused.
            let account = AccountKey.generate()
            let older = try await fixture.clientIdentifier()
            let beside = try await fixture.clientIdentifier()
            for identifier in [older, beside] {
                _ = try await fixture.obtain(identifier, key: key, account: account)
            }
            try await fixture.set(.ownACME())
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await fixture.obtain(older, key: key, account: account)
            }
            let newer = try await fixture.clientIdentifier(version: 2)
            await #expect(throws: ACMERefusal.status(403, problem: "unauthorized")) {
                try await fixture.obtain(newer, key: key, account: account) { _, _ in
                    try await fixture.unassign()
                    return IdentityFixture.none
                }
            }
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await fixture.obtain(newer, key: key, account: account)
            }
        }
    }

    /// The first order takes the identifier for its account: whoever learns it later gets nothing by it.
    @Test func anIdentifierServesOneAccount() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let identifier = try await fixture.clientIdentifier()
            let account = AccountKey.generate()
            for _ in 0..<2 {
                _ = try await fixture.obtain(identifier, key: .p256(P256.Signing.PrivateKey()), account: account)
            }
            await #expect(throws: ACMERefusal.status(400, problem: "rejectedIdentifier")) {
                try await fixture.obtain(identifier, key: .p256(P256.Signing.PrivateKey()))
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
            // A nonce that appeared in a request is used, whatever became of that (RFC 8555 §6.5).
            #expect(try await code(client, url, sign(fresh)) == "badNonce")
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
}
