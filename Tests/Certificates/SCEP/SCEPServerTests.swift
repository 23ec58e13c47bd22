import COpenSSL
import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import Testing

/// What the server takes from clients that are not ours, and what it refuses.
struct SCEPServerTests {
    let server: SCEPServer
    let message: SCEPMessage

    init() throws {
        let authority = try Identity.authority.get()
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
        message = try SCEPMessage(signer: .rsa)
    }

    private func open(_ message: SCEPMessage, allowLegacy: Bool = false) throws -> SCEPRequest {
        try server.open(pkiMessage: message.encoded(to: server.caCertificate), allowLegacy: allowLegacy)
    }

    private func expect(
        _ refusal: SCEPRefusal, allowLegacy: Bool = false, _ change: (inout SCEPMessage) throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var message = message
        try change(&message)
        let changed = message
        #expect(throws: refusal, sourceLocation: location) { try open(changed, allowLegacy: allowLegacy) }
        #expect(!OpenSSLReference.hasErrors)
    }

    @Test func `a request like Apple's is taken`() throws {
        let request = try open(message)
        #expect(request.transactionID == "T-1")
        #expect(request.senderNonce == Data(1...16))
        #expect(request.csr.challengePassword == "code")
        #expect(!OpenSSLReference.hasErrors)
    }

    @Test(arguments: [ContentCipher.aes128, .aes192, .aes256], [SCEPDigest.sha256, .sha384, .sha512])
    func `AES and SHA-2 of every size are taken`(_ cipher: ContentCipher, _ digest: SCEPDigest) throws {
        var message = message
        (message.cipher, message.digest) = (cipher, digest)
        #expect(try !open(message).usedLegacy)
    }

    @Test(arguments: [
        (ContentCipher.tripleDES, SCEPDigest.sha256), (.aes128, .sha1), (.tripleDES, .sha1), (.des, .sha1),
    ])
    func `legacy algorithms need leave, and the answer uses them`(_ cipher: ContentCipher, _ digest: SCEPDigest) throws
    {
        var message = message
        (message.cipher, message.digest) = (cipher, digest)
        let refusal: SCEPRefusal = digest == .sha1 ? .outer(.legacyAlgorithm) : .inner(.legacyAlgorithm)
        let changed = message
        #expect(throws: refusal) { try open(changed) }
        #expect(refusal.failInfo == .badAlgorithm)

        let request = try open(message, allowLegacy: true)
        #expect(request.usedLegacy)
        let refused = try SignedMessage.open(
            server.failure(request, .badAlgorithm), policy: .modern, attributes: [],
            expectedSigner: server.caCertificate)
        #expect(refused.digest == .sha256, "a refusal, which anybody can provoke, is not signed over SHA-1")
        let identity = message.signer
        let reply = try server.success(request, certificateDER: identity.certificateDER)
        let outer = try SignedMessage.open(
            reply, policy: .legacy, attributes: [], expectedSigner: server.caCertificate)
        #expect(outer.digest == digest)
        let inner = try EnvelopedMessage.open(
            outer.content, certificateDER: identity.certificateDER, key: LibraryKey(identity.key), policy: .legacy)
        #expect(inner.cipher == cipher)
        #expect(try CertificateBundle.decode(inner.content) == [identity.certificateDER])
    }

    @Test func `one key opens and signs for many at once`() async throws {
        let modern = try message.encoded(to: server.caCertificate)
        var old = message
        (old.cipher, old.digest) = (.tripleDES, .sha1)
        let legacy = try old.encoded(to: server.caCertificate)
        let certificate = message.signer.certificateDER
        let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let isLegacy = number.isMultiple(of: 4)
                    let request = try server.open(pkiMessage: isLegacy ? legacy : modern, allowLegacy: isLegacy)
                    let reply = try server.success(request, certificateDER: certificate)
                    let outer = try SignedMessage.open(
                        reply, policy: .legacy, attributes: [], expectedSigner: server.caCertificate)
                    return request.csr.challengePassword == "code" && !outer.content.isEmpty
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(opened == 64)
    }

    @Test func `streamed BER is taken`() throws {
        let der = try message.encoded(to: server.caCertificate)
        let ber = try StreamingBER.encode(der)
        #expect(ber != der)
        #expect(try server.open(pkiMessage: ber, allowLegacy: false).csr.challengePassword == "code")
    }

    @Test func `a key made for the message alone may sign it, and every refusal to it is the one for garbage`() throws {
        var foreign = message
        foreign.content = try CertificateRequest.make(
            subject: [[["CN", "x"]]], challenge: "code", key: Identity.otherRSA.key)
        let request = try open(foreign)
        #expect(try request.csr.publicKeyDER == Identity.otherRSA.key.publicKeyInfo)
        #expect(!request.isSignedByRequestedKey)
        #expect(try open(message).isSignedByRequestedKey)
        for info in SCEPFailInfo.allCases {
            #expect(try failInfo(server.failure(request, info)) == "1", "badMessageCheck, as for what does not open")
            #expect(try failInfo(server.failure(open(message), info)) == "\(info.rawValue)")
        }
        let reply = try SignedMessage.open(
            server.success(request, certificateDER: Identity.otherRSA.certificateDER), policy: .modern,
            attributes: [], expectedSigner: server.caCertificate)
        let signer = message.signer
        let opened = try EnvelopedMessage.open(
            reply.content, certificateDER: signer.certificateDER, key: LibraryKey(signer.key), policy: .modern)
        #expect(try CertificateBundle.decode(opened.content) == [Identity.otherRSA.certificateDER])
        #expect(!OpenSSLReference.hasErrors)
    }

    private func failInfo(_ reply: Data) throws -> String? {
        let opened = try SignedMessage.open(
            reply, policy: .modern, attributes: ["2.16.840.1.113733.1.9.4"], expectedSigner: server.caCertificate)
        guard case .text(let text) = opened.attribute("2.16.840.1.113733.1.9.4") else { return nil }
        return text
    }

    @Test func `what is not a certificate request is refused`() throws {
        try expect(.request(.malformed)) { $0.content = Data("hello".utf8) }
        try expect(.request(.key)) {
            $0.content = try CertificateRequest.make(
                subject: [[["CN", "x"]]], challenge: nil, key: .generate(.p256))
        }
        try expect(.request(.signature)) { $0.content[$0.content.count - 1] ^= 1 }
        // Each of them is known from inside the envelope alone.
        let answers = CertificateRequestRefusal.allCases.map { SCEPRefusal.request($0).failInfo }
        #expect(Set(answers) == [.badMessageCheck])
    }

    @Test func `attributes that are missing, wrong or unknown are refused`() throws {
        let nonce = SignedMessage.SignedAttribute.octets(Data(1...16))
        try expect(.transactionID) {
            $0.attributes = [SCEPMessage.messageType: .text("19"), SCEPMessage.senderNonce: nonce]
        }
        try expect(.transactionID) {
            $0.attributes = [
                SCEPMessage.messageType: .text("19"), SCEPMessage.senderNonce: nonce,
                SCEPMessage.transactionID: .text(String(repeating: "x", count: 129)),
            ]
        }
        try expect(.nonce) {
            $0.attributes = [SCEPMessage.messageType: .text("19"), SCEPMessage.transactionID: .text("T")]
        }
        for type in ["3", "20", "21", "22", ""] {
            try expect(.messageType) {
                $0.attributes = [
                    SCEPMessage.messageType: .text(type), SCEPMessage.transactionID: .text("T"),
                    SCEPMessage.senderNonce: nonce,
                ]
            }
        }
        try expect(.outer(.attributes)) {
            $0.attributes = [
                SCEPMessage.messageType: .text("19"), SCEPMessage.transactionID: .text("T"),
                SCEPMessage.transactionID: .text("U"), SCEPMessage.senderNonce: nonce,
            ]
        }
    }

    @Test func `an envelope for another is refused, and so is none`() throws {
        let other = try Identity.otherRSA.certificateDER
        #expect(throws: SCEPRefusal.inner(.envelope)) {
            try server.open(pkiMessage: message.encoded(to: other), allowLegacy: false)
        }
        #expect(throws: SCEPRefusal.inner(.malformed)) {
            try server.open(pkiMessage: message.signed(Data("no envelope".utf8)), allowLegacy: false)
        }
        #expect(throws: SCEPRefusal.inner(.wrongContent)) {
            try server.open(pkiMessage: message.signed(CertificateBundle.encode([other])), allowLegacy: false)
        }
        #expect(throws: SCEPRefusal.outer(.wrongContent)) {
            try server.open(
                pkiMessage: EnvelopedMessage.seal(message.content, to: server.caCertificate), allowLegacy: false)
        }
    }

    /// Who can tell wrong padding from wrong content reads another's envelope octet by octet (CBC), or has the
    /// authority's key compute for him (RSA): both get the same answer.
    @Test func `an envelope that opens to garbage is answered as one that does not open`() throws {
        let envelope = try EnvelopedMessage.seal(message.content, to: server.caCertificate)
        let blocks = message.content.count / 16 + 1
        var padding = envelope
        padding[padding.count - 17] ^= 0xff
        var content = envelope
        content[content.count - 16 * blocks] ^= 0xff
        var refusals: [SCEPRefusal] = []
        for changed in try [message.signed(padding), message.signed(content)] {
            let refusal = try #require(throws: SCEPRefusal.self) {
                try server.open(pkiMessage: changed, allowLegacy: false)
            }
            refusals.append(refusal)
        }
        #expect(refusals == [.inner(.envelope), .request(.malformed)])
        #expect(Set(refusals.map(\.failInfo)) == [.badMessageCheck])
    }

    @Test func `a refusal is never signed with SHA-1`() throws {
        var old = message
        old.digest = .sha1
        let request = try open(old, allowLegacy: true)
        let garbage = try old.signed(Data("no envelope".utf8))
        let replies = try [
            server.failure(request, .badAlgorithm), server.pending(request),
            #require(server.failure(toRefused: garbage, allowLegacy: true, .badRequest)),
        ]
        for reply in replies {
            let outer = try SignedMessage.open(
                reply, policy: .modern, attributes: [], expectedSigner: server.caCertificate)
            #expect(outer.digest == .sha256)
        }
    }

    /// The cost of a verification grows with the exponent, and anybody can send one.
    @Test(.enabled(if: OpenSSLTool.isThere)) func `a key with a huge exponent is refused before it is used`() throws {
        let tool = try OpenSSLTool()
        try tool.write("x", "content")
        try tool.run(
            "req -x509 -newkey rsa:2048 -pkeyopt rsa_keygen_pubexp:36893488147419103233 -nodes -subj /CN=x "
                + "-keyout huge.key -out huge.pem")
        try tool.run(
            "cms -sign -binary -nodetach -nosmimecap -in content -signer huge.pem -inkey huge.key -outform DER -out cms"
        )
        let cms = try tool.read("cms")
        #expect(throws: SCEPRefusal.outer(.signerKey)) { try server.open(pkiMessage: cms, allowLegacy: false) }
    }

    @Test func `more than 64 KiB and bytes after the end are refused`() throws {
        #expect(throws: SCEPRefusal.outer(.tooLarge)) {
            try server.open(pkiMessage: Data(count: 65_537), allowLegacy: false)
        }
        let trailing = try message.encoded(to: server.caCertificate) + [0]
        #expect(throws: SCEPRefusal.outer(.malformed)) { try server.open(pkiMessage: trailing, allowLegacy: false) }
    }

    /// Each announced digest makes OpenSSL hash all of the content: thousands would occupy the server for seconds.
    @Test func `many announced digests are refused`() throws {
        var craft = CMSCraft(try Identity.rsa, body: Data("x".utf8))
        craft.digestAlgorithms = Array(repeating: CMSCraft.sha256, count: 5)
        let cms = try craft.encoded()
        #expect(throws: SCEPRefusal.outer(.tooLarge)) { try server.open(pkiMessage: cms, allowLegacy: false) }
    }

    @Test func `a refused message whose outer layer is sound can be answered`() throws {
        let bad = try message.signed(Data("no envelope".utf8))
        let reply = try #require(server.failure(toRefused: bad, allowLegacy: false, .badRequest))
        let opened = try SignedMessage.open(
            reply, policy: .modern, attributes: ["2.16.840.1.113733.1.9.3", "2.16.840.1.113733.1.9.4"],
            expectedSigner: server.caCertificate)
        #expect(opened.attribute("2.16.840.1.113733.1.9.3") == .text("2"))
        #expect(opened.attribute("2.16.840.1.113733.1.9.4") == .text("2"))
        #expect(server.failure(toRefused: Data("garbage".utf8), allowLegacy: false, .badRequest) == nil)
    }

    @Test func `no refusal repeats its input`() {
        let texts = CMSRefusal.allCases.map(\.description) + CertificateRequestRefusal.allCases.map(\.description)
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { !$0.contains("\\(") && !$0.isEmpty })
    }
}
