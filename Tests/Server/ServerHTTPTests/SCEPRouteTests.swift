import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import SCEP
import ServerHTTP
import SwiftASN1
import TestLog
import Testing
import X509

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

    /// D1: a widely used client signs each message with a key made for it, and so may others.
    @Test func aKeyMadeForTheMessageMaySignIt() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                let envelope = try Self.envelope(code.code, DeviceKeys.first(), server)
                let granted = try await reply(envelope, server, admin.client)
                #expect(granted.attribute(Self.status) == .text("0"))
                #expect(try Self.requestedKey(in: granted) == DeviceKeys.first().publicKeyInfo)
                // The code is bound to the key that it certified, whoever signs the message.
                let other = try await reply(Self.envelope(code.code, DeviceKeys.second(), server), server, admin.client)
                #expect(other.attribute(Self.failInfo) == .text("1"))
            }
        }
    }

    /// Whoever copied the envelope of a device and sends it under a key of its own learns nothing of what is in it, and
    /// cannot lock the device out.
    @Test func aCopiedEnvelopeUnderAnotherKeyIsWorthNothing() async throws {
        var limits = ServerLimits.patient
        (limits.refusedSCEPMessages, limits.refusalSignaturesPerSecond) = (1_000, 1_000)
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                let envelope = try Self.envelope(code.code, DeviceKeys.first(), server)
                var answers: Set<String> = []
                for place in stride(from: envelope.count - 1, to: envelope.count - 400, by: -13) {
                    var altered = envelope
                    altered[place] ^= 1
                    answers.insert(Self.failure(in: try await reply(altered, server, admin.client)))
                }
                #expect(answers == ["1"], "badMessageCheck, whatever was altered")

                // Unaltered it gets the certificate of the device's key, which is of no use without that key.
                let stolen = try await reply(envelope, server, admin.client)
                let certificate = try Self.certificate(in: stolen)
                let device = try await PlayedDevice.certificate(
                    code: code.code, server, admin.client, key: DeviceKeys.first())
                #expect(device == .issued(certificateDER: certificate), "the device is not locked out")
                let identity = PlayedDevice.Identity(certificate: certificate, key: try DeviceKeys.first())
                let played = PlayedDevice(server: server, client: admin.client, udid: "victim", identity: identity)
                #expect(try await played.authenticate().status == 200)

                // Once the code is spent the answer is the one for garbage: not even that tells whether a code is good.
                let late = try await reply(envelope, server, admin.client)
                #expect(Self.failure(in: late) == "1")
                #expect(!server.log.all.contains { $0.contains(code.code) })
            }
        }
    }

    /// A refusal that is not signed any more must not say what a signed one keeps to itself.
    @Test func aRefusalWithoutASignatureSaysNothingOfTheEnvelopeEither() async throws {
        var limits = ServerLimits.patient
        (limits.refusedSCEPMessages, limits.refusalSignaturesPerSecond) = (1_000, 0)
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                let envelope = try Self.envelope("no code", DeviceKeys.first(), server)
                var (padding, content) = (envelope, envelope)
                padding[padding.count - 17] ^= 0xff
                content[content.count - 400] ^= 0xff
                var answers: Set<String> = []
                for message in [padding, content, envelope] {
                    let answer = try await client.send(
                        "POST", server.baseURL + "/scep?operation=PKIOperation", body: Self.message(message))
                    answers.insert("\(answer.status) \(answer.text)")
                }
                #expect(answers == ["400 the message was refused\n"])
            }
        }
    }

    /// RFC 8894 §3.2.1.4 and §4.4: polling, GetCert and GetCRL; red while they were answered without a signature.
    @Test func aTypeThatIsNotServedIsASignedFailure() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let envelope = try Self.envelope("no code", DeviceKeys.first(), server)
                for type in ["20", "21", "22"] {
                    let answer = try await client.send(
                        "POST", server.baseURL + "/scep?operation=PKIOperation",
                        body: Self.message(envelope, type: type))
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == "application/x-pki-message")
                    let opened = try SignedMessage.open(
                        answer.body, policy: .modern, attributes: [Self.status, Self.failInfo],
                        expectedSigner: server.authority.certificateDER)
                    #expect(opened.attribute(Self.status) == .text("2"))
                    #expect(Self.failure(in: opened) == "2", "badRequest: not supported")
                }
                #expect(server.log.say("enrollment refused", "the message type is not one that is served"))
            }
        }
    }

    /// RFC 8894 §2.4: neither a certificate that its holder signed nor one issued before is a right to another.
    ///
    /// Red for a server that grants, or puts off for an administrator, what carries no challenge.
    @Test(arguments: ["19", "17"]) func whatCarriesNoChallengeIsRefusedBySelfSignedAndIssuedAlike(
        _ type: String
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin, key: DeviceKeys.first()) { (device) async throws in
                    let own = try Self.signer.get()
                    let signers = [
                        (own.certificateDER, try SigningKey(pem: own.keyPEM)),
                        (device.identity.certificate, device.identity.key),
                    ]
                    for (certificate, key) in signers {
                        let request = try CertificateRequest.make(
                            subject: [[["CN", "device"]]], challenge: nil, key: key)
                        let message = try SignedMessage.sign(
                            EnvelopedMessage.seal(request, to: server.authority.certificateDER),
                            attributes: [
                                Self.messageType: .text(type), Self.transactionID: .text("T-2"),
                                Self.senderNonce: .octets(Data(1...16)),
                            ], certificateDER: certificate, key: LibraryKey(key))
                        let answer = try await admin.client.send(
                            "POST", server.baseURL + "/scep?operation=PKIOperation", body: message)
                        try #require(answer.status == 200, "\(answer.text)")
                        let opened = try SignedMessage.open(
                            answer.body, policy: .modern, attributes: [Self.status, Self.failInfo],
                            expectedSigner: server.authority.certificateDER)
                        #expect(opened.attribute(Self.status) == .text("2"))
                        #expect(Self.failure(in: opened) == "2", "badRequest")
                        #expect(opened.content.isEmpty)
                    }
                    let rule = type == "19" ? "carries an enrollment code" : "with an enrollment code, not renewed"
                    #expect(server.log.say("enrollment refused", rule))
                }
            }
        }
    }

    // MARK: Strangers

    /// A3: one message, sent again and again, had the authority decrypt and sign each time.
    @Test func aMessageThatWasRefusedIsRefusedAgainWithoutASignature() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let url = server.baseURL + "/scep?operation=PKIOperation"
                let message = try makeMessage(.aes128, .sha256, code: "no code", server)
                let first = try await client.send("POST", url, body: message)
                #expect(first.status == 200 && first.headers["content-type"] == "application/x-pki-message")
                for _ in 0..<2 {
                    let again = try await client.send("POST", url, body: message)
                    #expect(again.status == 400 && again.headers["content-type"]?.hasPrefix("text/plain") == true)
                }
                let other = try await client.send(
                    "POST", url, body: try makeMessage(.aes128, .sha256, code: "no code", server))
                #expect(other.status == 200, "another message is answered")
            }
        }
    }

    @Test func refusalsOfAnAddressAreBoundedAndGrantsAreNot() async throws {
        var limits = ServerLimits.patient
        limits.refusedSCEPMessages = 2
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for _ in 0..<4 {
                    let code = try await admin.code()
                    _ = try await PlayedDevice.identity(
                        code: code.code, server, admin.client, key: DeviceKeys.second())
                }
                // The administrator's connection is known and counts by its address too: it has no certificate.
                let url = server.baseURL + "/scep?operation=PKIOperation"
                for status: UInt in [200, 200, 429] {
                    let message = try makeMessage(.aes128, .sha256, code: "no code", server)
                    #expect(try await admin.client.send("POST", url, body: message).status == status)
                }
            }
        }
    }

    @Test func refusalsAreSignedOnlySoOften() async throws {
        var limits = ServerLimits.patient
        limits.refusalSignaturesPerSecond = 0
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                let answer = try await client.send(
                    "POST", server.baseURL + "/scep?operation=PKIOperation",
                    body: try makeMessage(.aes128, .sha256, code: "no code", server))
                #expect(answer.status == 400)
            }
        }
    }

    // MARK: Support

    private static func envelope(_ code: String, _ key: SigningKey, _ server: TestServer) throws -> Data {
        try EnvelopedMessage.seal(
            CertificateRequest.make(subject: [[["CN", "device"]]], challenge: code, key: key),
            to: server.authority.certificateDER)
    }

    /// Sends an envelope under a key that is not the one inside, and reads the outer layer of the answer.
    private func reply(_ envelope: Data, _ server: TestServer, _ client: HTTPClient) async throws -> SignedMessage {
        let answer = try await client.send(
            "POST", server.baseURL + "/scep?operation=PKIOperation", body: Self.message(envelope))
        try #require(answer.status == 200, "\(answer.text)")
        return try SignedMessage.open(
            answer.body, policy: .modern, attributes: [Self.status, Self.failInfo],
            expectedSigner: server.authority.certificateDER)
    }

    private static func message(_ envelope: Data, type: String = "19") throws -> Data {
        let signer = try Self.signer.get()
        return try SignedMessage.sign(
            envelope,
            attributes: [
                messageType: .text(type), transactionID: .text("T-9"), senderNonce: .octets(Data(1...16)),
            ],
            certificateDER: signer.certificateDER, key: LibraryKey(SigningKey(pem: signer.keyPEM)))
    }

    private static func failure(in reply: SignedMessage) -> String {
        guard case .text(let text) = reply.attribute(failInfo) else { return "none" }
        return text
    }

    private static func certificate(in reply: SignedMessage) throws -> Data {
        let signer = try Self.signer.get()
        let opened = try EnvelopedMessage.open(
            reply.content, certificateDER: signer.certificateDER, key: LibraryKey(SigningKey(pem: signer.keyPEM)),
            policy: .modern)
        return try #require(try CertificateBundle.decode(opened.content).first)
    }

    private static func requestedKey(in reply: SignedMessage) throws -> Data {
        let certificate = try Certificate(derEncoded: Array(certificate(in: reply)))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate.publicKey)
        return Data(serializer.serializedBytes)
    }

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
        let message = try makeMessage(cipher, digest, code: code, server)
        let answer = try await client.send("POST", server.baseURL + "/scep?operation=PKIOperation", body: message)
        try #require(answer.status == 200, "\(answer.text)")
        return try SignedMessage.open(
            answer.body, policy: .legacy, attributes: [Self.status, Self.failInfo],
            expectedSigner: server.authority.certificateDER)
    }

    private func makeMessage(
        _ cipher: ContentCipher, _ digest: SCEPDigest, code: String, _ server: TestServer
    ) throws -> Data {
        let signer = try Self.signer.get()
        let key = try SigningKey(pem: signer.keyPEM)
        let request = try CertificateRequest.make(subject: [[["CN", "device"]]], challenge: code, key: key)
        return try SignedMessage.sign(
            EnvelopedMessage.seal(request, to: server.authority.certificateDER, with: cipher),
            attributes: [
                Self.messageType: .text("19"), Self.transactionID: .text("T-1"),
                Self.senderNonce: .octets(Data(1...16)),
            ],
            certificateDER: signer.certificateDER, key: LibraryKey(key), digest: digest)
    }
}
