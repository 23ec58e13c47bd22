import ACME
import AsyncHTTPClient
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import SCEP
import ServerHTTP
import Testing

/// A device whose app has an identity by this server's own authority.
struct IdentityFixture: Sendable {
    static let slot = SecretSlot(
        group: "teachers", app: "org.swift.landmarks", kind: .identity, identifier: "client")

    let server: TestServer
    let admin: AdminClient
    let device: PlayedDevice

    var client: HTTPClient { device.client }

    static func with(
        _ value: SecretValue, clock: TestClock = TestClock(), endorsement: EndorsementTrust = EndorsementTrust(),
        appleRoots: [Data] = [], limits: ServerLimits = .patient, _ test: (IdentityFixture) async throws -> Void
    ) async throws {
        try await TestServer.run(limits: limits, clock: clock, endorsement: endorsement, appleRoots: appleRoots) {
            (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
                    let fixture = IdentityFixture(server: server, admin: admin, device: device)
                    try await fixture.set(value)
                    try await fixture.assign()
                    try await test(fixture)
                }
            }
        }
    }

    func set(_ value: SecretValue) async throws {
        _ = try #require(await server.management.setSecret("vpn", to: value, author: "admin").value)
    }

    func assign() async throws {
        _ = try #require(await server.management.assignSecret("vpn", to: Self.slot, author: "admin").value)
    }

    /// The token of the asset that the device is told of; nothing when it is told of none.
    func identityToken() async throws -> String? {
        let items = try JSONValue(parsing: await device.ask(.declarationItems).body, limits: .adminBody)
        return items["Declarations"]?["Assets"]?.array?.first {
            $0["Identifier"]?.string?.hasPrefix("martlet.secret.") == true
        }?["ServerToken"]?.string
    }

    func unassign() async throws {
        #expect(try await server.management.unassignSecret(from: Self.slot, author: "admin") == nil)
    }

    /// The credential document as the device downloads it; each time with a right of its own.
    func document(version: Int = 1) async throws -> JSONValue {
        let answer = try await device.download(server.baseURL + "/mdm/credentials/vpn/\(version)")
        try #require(answer.status == 200, "\(answer.status)")
        return try JSONValue(parsing: answer.body, limits: .adminBody)
    }

    func challenge(version: Int = 1) async throws -> String {
        try #require(await document(version: version)["Challenge"]?.string)
    }

    func clientIdentifier(version: Int = 1) async throws -> String {
        try #require(await document(version: version)["ClientIdentifier"]?.string)
    }

    // MARK: SCEP

    /// What the entrance for identities answers to a request with this challenge.
    func ask(
        _ challenge: String?, key: SigningKey, subject: [[[String]]] = [[["CN", "mine"]]],
        wishes: CertificateWishes = CertificateWishes(), at path: String = "/scep/identities"
    ) async throws -> SCEPClient.Reply {
        let url = server.baseURL + path
        let authority = try await client.send("GET", url + "?operation=GetCACert").body
        let (message, exchange) = try SCEPClient.makeRequest(
            subject: subject, challenge: challenge, key: key, caCertificate: authority,
            capabilities: [.aes, .sha256, .postPKIOperation], now: Date(), wishes: wishes)
        let answer = try await client.send(
            "POST", url + "?operation=PKIOperation", headers: ["Content-Type": "application/x-pki-message"],
            body: message)
        try #require(answer.status == 200, "\(answer.text)")
        return try SCEPClient.readReply(answer.body, exchange)
    }

    func certificate(_ challenge: String, key: SigningKey) async throws -> Data {
        guard case .issued(let certificate) = try await ask(challenge, key: key) else {
            throw PlayedDevice.NotIssued(reply: .pending)
        }
        return certificate
    }

    // MARK: ACME

    /// Our client's whole way; what it posts to the challenge is `proof`'s.
    func obtain(
        _ identifier: String, request: Data, account: AccountKey = .generate(),
        proof: @escaping @Sendable (ACMEChallenge, _ keyAuthorization: String) async throws -> Data = { _, _ in none }
    ) async throws -> ACMEChain {
        let http = client
        let client = ACMEClient(
            send: { request in
                let headers = request.body == nil ? [:] : ["content-type": ACMEHTTPRequest.contentType]
                let answer = try await http.send(
                    request.method.rawValue, request.url, headers: headers, body: request.body)
                return ACMEHTTPResponse(status: Int(answer.status), headers: answer.headers, body: answer.body)
            },
            prove: { challenge, _, keyAuthorization in
                .object(["attObj": .string(Base64URL.encode(try await proof(challenge, keyAuthorization)))])
            }, pause: { _ in })
        return try await client.obtain(
            ACMEExchange.Wish(
                directoryURL: server.baseURL + "/acme/directory",
                identifiers: [ACMEIdentifier(.permanentIdentifier, identifier)],
                challengeType: ACMEChallenge.deviceAttest, certificateRequest: request, accountKey: account))
    }

    func obtain(
        _ identifier: String, key: SigningKey, account: AccountKey = .generate(),
        proof: @escaping @Sendable (ACMEChallenge, _ keyAuthorization: String) async throws -> Data = { _, _ in none }
    ) async throws -> ACMEChain {
        try await obtain(
            identifier, request: CertificateRequest.make(subject: [[["CN", "mine"]]], challenge: nil, key: key),
            account: account, proof: proof)
    }

    /// What a device says of a software key: an attestation that attests nothing.
    static let none = Data([0xa0])
}

/// No attestation.
private let none = IdentityFixture.none

extension SecretValue {
    static func ownSCEP(_ subject: SubjectAttribute...) -> SecretValue {
        .scep(
            SCEPRecipe(
                authority: .own, subject: subject,
                subjectAltNames: SubjectAltNames(uniformResourceIdentifier: "urn:device:${device.udid}")))
    }

    static func ownACME(attest: Bool = false) -> SecretValue {
        .acme(
            ACMERecipe(
                authority: .own, clientIdentifier: "", subject: [SubjectAttribute(type: "CN", value: "device one")],
                hardwareBound: attest, attest: attest))
    }
}
