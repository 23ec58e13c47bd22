import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import SCEP
import TestLog
import Testing

/// What the SCEP entrance takes, beside the plain request of `EnrollmentTests`.
@Suite struct SCEPRouteTests {
    @Test func theServerSaysWhatItCanDo() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let scep = server.baseURL + "/scep?operation="
                let capabilities = try await client.send("GET", scep + "GetCACaps&message=martlet")
                #expect(capabilities.status == 200)
                #expect(capabilities.headers["content-type"] == "text/plain")
                let words = Set(capabilities.text.split(whereSeparator: \.isNewline).map(String.init))
                #expect(words.isSuperset(of: ["AES", "POSTPKIOperation", "SHA-256", "SCEPStandard"]))
                // What needs leave is not offered, and a device renews by installing a new profile.
                #expect(words.isDisjoint(with: ["DES3", "SHA-1", "Renewal"]))
                let authority = try await client.send("GET", scep + "GetCACert&message=martlet")
                #expect(authority.headers["content-type"] == "application/x-x509-ca-cert")
                #expect(authority.body == server.authority.certificateDER)
            }
        }
    }

    /// Single DES and SHA-1 only where the administrator said so for this very code.
    @Test(arguments: [
        (ContentCipher.des, SCEPDigest.sha256), (.tripleDES, .sha256), (.aes128, .sha1), (.des, .sha1),
    ])
    func oldAlgorithmsNeedTheLeaveOfTheCode(_ cipher: ContentCipher, _ digest: SCEPDigest) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let plain = try await admin.code()
                let refused = try await reply(cipher, digest, code: plain.code, server, admin.client)
                #expect(refused.attribute(Self.status) == .text("2"))
                #expect(refused.attribute(Self.failInfo) == .text("0"), "badAlg")
                #expect(server.log.say("enrollment refused", "does not permit DES, Triple DES or SHA-1"))
                #expect(!server.log.all.contains { $0.contains(plain.code) })
                // Refused, not used up.
                _ = try await PlayedDevice.identity(
                    code: plain.code, server, admin.client, key: DeviceKeys.second())

                let old = try await admin.code(allowLegacyCryptography: true)
                let granted = try await reply(cipher, digest, code: old.code, server, admin.client)
                #expect(granted.attribute(Self.status) == .text("0"))
            }
        }
    }

    @Test(arguments: [ContentCipher.aes128, .aes256]) func bothSizesOfAESAreTaken(_ cipher: ContentCipher) async throws
    {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                let granted = try await reply(cipher, .sha256, code: code.code, server, admin.client)
                #expect(granted.attribute(Self.status) == .text("0"))
            }
        }
    }

    /// A lost answer costs nothing, even when the code's time has passed meanwhile.
    @Test func theSameRequestMayBeRepeatedUntilAuthenticateHoweverLate() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code(validSeconds: 60)
                let ask = { (key: SigningKey) in
                    try await PlayedDevice.certificate(code: code.code, server, admin.client, key: key)
                }
                let first = try await ask(DeviceKeys.first())
                clock.advance(by: 3_600)
                #expect(try await admin.client.send("GET", code.enrollmentURL).status == 200)
                #expect(try await ask(DeviceKeys.first()) == first)
                #expect(try await ask(DeviceKeys.second()) == .failed(.badRequest))
                guard case .issued(let certificate) = first else {
                    Issue.record("no certificate")
                    return
                }
                let device = PlayedDevice(
                    server: server, client: admin.client, udid: "late",
                    identity: .init(certificate: certificate, key: try DeviceKeys.first()))
                #expect(try await device.authenticate().status == 200)
                #expect(try await ask(DeviceKeys.first()) == .failed(.badRequest))
            }
        }
    }

    // MARK: Support

    private static let messageType = "2.16.840.1.113733.1.9.2"
    private static let status = "2.16.840.1.113733.1.9.3"
    private static let failInfo = "2.16.840.1.113733.1.9.4"
    private static let senderNonce = "2.16.840.1.113733.1.9.5"
    private static let transactionID = "2.16.840.1.113733.1.9.7"
    private static let signer = Result { try Authority.create(commonName: "device", now: Date()) }

    /// Asks for a certificate with these algorithms, and reads the outer layer of the answer.
    private func reply(
        _ cipher: ContentCipher, _ digest: SCEPDigest, code: String, _ server: TestServer, _ client: HTTPClient
    ) async throws -> SignedMessage {
        let signer = try Self.signer.get()
        let key = try SigningKey(pem: signer.keyPEM)
        let request = try CertificateRequest.make(subject: [[["CN", "device"]]], challenge: code, key: key)
        let message = try SignedMessage.sign(
            EnvelopedMessage.seal(request, to: server.authority.certificateDER, with: cipher),
            attributes: [
                Self.messageType: .text("19"), Self.transactionID: .text("T-1"),
                Self.senderNonce: .octets(Data(1...16)),
            ],
            certificateDER: signer.certificateDER, key: LibraryKey(key), digest: digest)
        let answer = try await client.send("POST", server.baseURL + "/scep?operation=PKIOperation", body: message)
        try #require(answer.status == 200, "\(answer.text)")
        return try SignedMessage.open(
            answer.body, policy: .legacy, attributes: [Self.status, Self.failInfo],
            expectedSigner: server.authority.certificateDER)
    }
}
