import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import Testing

/// Both sides of SCEP against each other.
struct SCEPExchangeTests {
    let authority: Authority
    let server: SCEPServer
    let key: SigningKey
    private let subject = [[["CN", "device 1"]], [["O", "Example"]]]

    init() throws {
        authority = try Identity.authority.get()
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
        key = try Identity.rsa.key
    }

    private func request(
        challenge: String? = "code-1", key: SigningKey? = nil, renewing current: SCEPClient.CurrentIdentity? = nil
    ) throws -> (message: Data, exchange: SCEPClient.Exchange) {
        try SCEPClient.makeRequest(
            subject: subject, challenge: challenge, key: key ?? self.key, caCertificate: server.caCertificate,
            capabilities: server.capabilities, now: Identity.now, renewing: current)
    }

    @Test func `a request is opened, granted and read`() throws {
        let (message, exchange) = try request()
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        #expect(request.messageType == .certificateRequest)
        #expect(request.csr.challengePassword == "code-1")
        #expect(request.csr.subjectCN == "device 1")
        #expect(request.csr.publicKeyDER == key.publicKeyInfo)
        #expect(!request.usedLegacy)
        let certificate = try authority.issueDevice(
            requestDER: request.csr.der, commonName: "given", now: Identity.now)
        let reply = try server.success(request, certificateDER: certificate)
        #expect(try SCEPClient.readReply(reply, exchange) == .issued(certificateDER: certificate))
    }

    @Test func `the same key makes the same transaction`() throws {
        #expect(try request().exchange.transactionID == request().exchange.transactionID)
        #expect(try request().exchange.transactionID != request(key: Identity.otherRSA.key).exchange.transactionID)
    }

    @Test func `a renewal is signed by the certificate held so far`() throws {
        let identity = try Identity.rsa
        let current = SCEPClient.CurrentIdentity(certificateDER: identity.certificateDER, key: identity.key)
        let newKey = try Identity.otherRSA.key
        let (message, exchange) = try request(challenge: nil, key: newKey, renewing: current)
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        #expect(request.messageType == .renewalRequest)
        #expect(request.signerCertificate == identity.certificateDER)
        #expect(request.csr.challengePassword == nil)
        let certificate = try authority.issueDevice(requestDER: request.csr.der, commonName: "x", now: Identity.now)
        let reply = try server.success(request, certificateDER: certificate)
        #expect(try SCEPClient.readReply(reply, exchange) == .issued(certificateDER: certificate))
    }

    @Test(arguments: SCEPFailInfo.allCases)
    func `a refusal reaches the client with its reason`(_ info: SCEPFailInfo) throws {
        let (message, exchange) = try request()
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        #expect(try SCEPClient.readReply(server.failure(request, info), exchange) == .failed(info))
    }

    @Test func `a request can be put off`() throws {
        let (message, exchange) = try request()
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        #expect(try SCEPClient.readReply(server.pending(request), exchange) == .pending)
    }

    @Test func `a reply to another request is refused`() throws {
        let first = try request()
        let second = try request()
        let reply = try server.failure(server.open(pkiMessage: first.message, allowLegacy: false), .badRequest)
        #expect(throws: SCEPRefusal.otherTransaction) { try SCEPClient.readReply(reply, second.exchange) }
    }

    @Test func `a reply from another authority is refused`() throws {
        let (message, exchange) = try request()
        let impostor = try Authority.create(commonName: "Test CA", now: Identity.now)
        let other = try SCEPServer(certificateDER: impostor.certificateDER, keyPEM: impostor.keyPEM)
        let toOther = try SCEPClient.makeRequest(
            subject: subject, challenge: nil, key: key, caCertificate: other.caCertificate,
            capabilities: other.capabilities, now: Identity.now)
        let reply = try other.failure(other.open(pkiMessage: toOther.message, allowLegacy: false), .badRequest)
        #expect(throws: SCEPRefusal.self) { try SCEPClient.readReply(reply, exchange) }
        #expect(throws: SCEPRefusal.inner(.envelope)) { try other.open(pkiMessage: message, allowLegacy: false) }
    }

    @Test func `a certificate for another key is not taken`() throws {
        let (message, exchange) = try request()
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        let reply = try server.success(request, certificateDER: Identity.otherRSA.certificateDER)
        #expect(throws: SCEPRefusal.noCertificate) { try SCEPClient.readReply(reply, exchange) }
    }

    @Test func `a server without AES or SHA-256 is not used`() throws {
        #expect(throws: SCEPRefusal.weakServer) {
            try SCEPClient.makeRequest(
                subject: subject, challenge: nil, key: key, caCertificate: server.caCertificate,
                capabilities: SCEPCapabilities(parsing: "SHA-1\nDES3\nPOSTPKIOperation"), now: Identity.now)
        }
    }

    @Test func `capabilities are read as servers write them`() {
        #expect(
            server.capabilities.text == "AES\nPOSTPKIOperation\nRenewal\nSHA-256\nSHA-512\nSCEPStandard\n")
        #expect(SCEPCapabilities(parsing: server.capabilities.text) == server.capabilities)
        #expect(SCEPCapabilities(parsing: "sha-256\r\nUnknown\r\naes") == [.sha256, .aes])
        #expect(SCEPCapabilities(parsing: "SCEPStandard").isSuperset(of: [.aes, .sha256, .postPKIOperation]))
    }

    @Test func `certificates come alone or in a bundle`() throws {
        let pair = try [authority.certificateDER, Identity.rsa.certificateDER]
        #expect(try SCEPClient.readCertificates(pair[0]) == [pair[0]])
        #expect(try Set(SCEPClient.readCertificates(CertificateBundle.encode(pair))) == Set(pair))
        #expect(throws: SCEPRefusal.outer(.malformed)) { try SCEPClient.readCertificates(Data("<html>".utf8)) }
    }

    @Test func `texts about a request do not show its challenge`() throws {
        let request = try server.open(pkiMessage: request(challenge: "S3CRET").message, allowLegacy: false)
        #expect(!"\(request.csr)".contains("S3CRET"))
        #expect(!String(reflecting: request.csr).contains("S3CRET"))
        #expect(!"\(request)".contains("S3CRET"))
    }

    @Test func `a subject of unknown or broken kind is refused`() throws {
        for bad in [[[["CN"]]], [[["XX", "y"]]], [[["3.1.2", "y"]]], [[]], [[["C", "é"]]], [[["E", "é"]]]] {
            #expect(throws: CertificateRequestRefusal.subject) {
                try CertificateRequest.make(subject: bad, challenge: nil, key: key)
            }
        }
        let der = try CertificateRequest.make(
            subject: [[["2.5.4.5", "serial"]], [["SERIALNUMBER", "s"]], [["E", "a@b"]]], challenge: "ü", key: key)
        #expect(try CertificateRequest(parsing: der).challengePassword == "ü")
    }
}
