import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import Testing

/// SCEP with keys, requests and envelopes made and opened by the `openssl` command.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct SCEPInteroperationTests {
    let server: SCEPServer
    let tool: OpenSSLTool

    init() throws {
        let authority = try Identity.authority.get()
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
        tool = try OpenSSLTool()
        try tool.write(authority.certificatePEM, "ca.pem")
    }

    /// A self-signed RSA identity and a request with a challenge, from openssl.
    private func makeRequest(bits: Int = 2048, challengeType: String = "utf8only", digest: String = "sha256") throws {
        let configuration = """
            [req]
            prompt = no
            string_mask = \(challengeType)
            distinguished_name = name
            attributes = attributes
            [name]
            CN = hand made
            [attributes]
            challengePassword = code-42
            """
        try tool.write(configuration, "c")
        try tool.run("req -config c -newkey rsa:\(bits) -nodes -keyout key -\(digest) -outform DER -out request")
        try tool.run("req -config c -x509 -key key -outform DER -out self -days 2")
    }

    private func message(_ envelopeOptions: String, digest: SCEPDigest = .sha256) throws -> Data {
        let identity = Identity(
            certificateDER: try tool.read("self"),
            key: try SigningKey(pem: String(decoding: tool.read("key"), as: UTF8.self)))
        try tool.run("cms -encrypt -binary -in request -outform DER -out envelope \(envelopeOptions) ca.pem")
        var message = try SCEPMessage(signer: identity)
        message.digest = digest
        return try message.signed(tool.read("envelope"))
    }

    @Test(arguments: ["-aes128", "-aes256", "-aes128 -stream"], ["utf8only", "pkix", "nombstr"])
    func `a request of openssl's is opened`(_ options: String, _ challengeType: String) throws {
        try makeRequest(challengeType: challengeType)
        let request = try server.open(pkiMessage: message(options), allowLegacy: false)
        #expect(request.csr.challengePassword == "code-42")
        #expect(request.csr.subjectCN == "hand made")
        #expect(try request.signerCertificate == tool.read("self"))
    }

    @Test func `triple DES and SHA-1 need leave, in the request as well`() throws {
        try makeRequest(digest: "sha1")
        let message = try message("-aes128")
        #expect(throws: SCEPRefusal.request(.legacyAlgorithm)) {
            try server.open(pkiMessage: message, allowLegacy: false)
        }
        #expect(try server.open(pkiMessage: message, allowLegacy: true).usedLegacy)
        let legacy = try self.message("-des3", digest: .sha1)
        #expect(try server.open(pkiMessage: legacy, allowLegacy: true).usedLegacy)
    }

    @Test(arguments: ["-camellia128", "-aes-128-gcm"])
    func `a cipher that SCEP does not know is refused`(_ cipher: String) throws {
        try makeRequest()
        let message = try message(cipher)
        for allowLegacy in [false, true] {
            #expect(throws: SCEPRefusal.self) { try server.open(pkiMessage: message, allowLegacy: allowLegacy) }
        }
    }

    @Test(arguments: [1024, 4608])
    func `a signer's key of another size is refused`(_ bits: Int) throws {
        try makeRequest(bits: bits)
        try tool.run("cms -sign -binary -nodetach -in request -outform DER -out signed -signer self -inkey key")
        #expect(throws: SCEPRefusal.outer(.signerKey)) {
            try server.open(pkiMessage: tool.read("signed"), allowLegacy: true)
        }
    }

    @Test(arguments: [(1024, CertificateRequestRefusal.malformed), (4608, .key)])
    func `a requested key of another size is refused`(_ bits: Int, _ refusal: CertificateRequestRefusal) throws {
        try makeRequest(bits: bits)
        #expect(throws: refusal) { try CertificateRequest(parsing: tool.read("request")) }
    }

    @Test(arguments: [
        ("-noattr", CMSRefusal.attributes), ("-md sha1", .legacyAlgorithm), ("-md md5", .algorithm),
        ("-nocerts", .signerCertificate), ("-keyopt rsa_padding_mode:pss", .algorithm),
    ])
    func `an outer layer of another shape is refused`(_ options: String, _ refusal: CMSRefusal) throws {
        try makeRequest()
        try tool.run("cms -sign -binary -nodetach -in request -outform DER -out s -signer self -inkey key \(options)")
        #expect(throws: SCEPRefusal.outer(refusal)) {
            try server.open(pkiMessage: tool.read("s"), allowLegacy: false)
        }
    }

    @Test func `openssl opens a granted certificate`() throws {
        try makeRequest()
        let request = try server.open(pkiMessage: message("-aes256"), allowLegacy: false)
        let certificate = try Identity.authority.get().issueDevice(
            requestDER: request.csr.der, commonName: "given", now: Identity.now)
        try tool.write(server.success(request, certificateDER: certificate), "reply")
        let time = Int(Identity.now.timeIntervalSince1970)
        try tool.run("cms -verify -binary -inform DER -in reply -out inner -CAfile ca.pem -purpose any -attime \(time)")
        try tool.run("cms -decrypt -binary -inform DER -in inner -out bundle -recip self -inkey key")
        try tool.run("pkcs7 -inform DER -in bundle -print_certs -out certificates")
        try tool.run("x509 -in certificates -outform DER -out issued")
        #expect(try tool.read("issued") == certificate)
        #expect(try tool.run("cms -cmsout -print -inform DER -in reply").contains("2.16.840.1.113733.1.9.6"))
    }

    @Test func `openssl verifies a refusal, which has no content`() throws {
        try makeRequest()
        let request = try server.open(pkiMessage: message("-aes128"), allowLegacy: false)
        try tool.write(server.failure(request, .badRequest), "reply")
        let time = Int(Identity.now.timeIntervalSince1970)
        try tool.run("cms -verify -binary -inform DER -in reply -out inner -CAfile ca.pem -purpose any -attime \(time)")
        #expect(try tool.read("inner").isEmpty)
    }
}
