import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import Testing

/// Rules of RFC 8894 for servers, on the messages themselves; `docs/acme-and-scep.md` lists them all.
struct SCEPStandardTests {
    private static let messageType = "2.16.840.1.113733.1.9.2"
    private static let status = "2.16.840.1.113733.1.9.3"
    private static let failInfo = "2.16.840.1.113733.1.9.4"
    private static let senderNonce = "2.16.840.1.113733.1.9.5"
    private static let recipientNonce = "2.16.840.1.113733.1.9.6"
    private static let transactionID = "2.16.840.1.113733.1.9.7"

    private let server: SCEPServer
    private let message: SCEPMessage

    init() throws {
        let authority = try Identity.authority.get()
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
        message = try SCEPMessage(signer: .rsa)
    }

    private func read(_ reply: Data) throws -> SignedMessage {
        try SignedMessage.open(
            reply, policy: .modern,
            attributes: [
                Self.messageType, Self.status, Self.failInfo, Self.senderNonce, Self.recipientNonce,
                Self.transactionID,
            ], expectedSigner: server.caCertificate)
    }

    @Test func `every reply says of which transaction it is, answers the nonce and has one of its own`() throws {
        let request = try server.open(
            pkiMessage: message.encoded(to: server.caCertificate), allowLegacy: false)
        let replies = try [
            "0": server.success(request, certificateDER: message.signer.certificateDER),
            "2": server.failure(request, .badRequest), "3": server.pending(request),
        ]
        for (status, reply) in replies {
            let opened = try read(reply)
            #expect(opened.attribute(Self.messageType) == .text("3"))
            #expect(opened.attribute(Self.status) == .text(status))
            #expect(opened.attribute(Self.transactionID) == .text("T-1"))
            #expect(opened.attribute(Self.recipientNonce) == .octets(Data(1...16)))
            guard case .octets(let nonce) = opened.attribute(Self.senderNonce) else {
                Issue.record("no senderNonce")
                continue
            }
            #expect(nonce.count == 16 && nonce != Data(1...16))
            // A reason belongs to a failure, an envelope to a grant, and neither to another reply.
            #expect((opened.attribute(Self.failInfo) != nil) == (status == "2"))
            #expect(opened.content.isEmpty == (status != "0"))
        }
    }

    /// CertPoll, GetCert, GetCRL, and a type that nobody knows; red while they got no signed answer at all.
    @Test(arguments: ["20", "21", "22", "99", ""])
    func `a type that is not served is answered as a transaction that is not supported`(_ type: String) throws {
        var message = message
        message.attributes = [
            Self.messageType: .text(type), Self.transactionID: .text("T-2"), Self.senderNonce: .octets(Data(1...16)),
        ]
        let sent = try message.encoded(to: server.caCertificate)
        let refusal = try #require(throws: SCEPRefusal.self) { try server.open(pkiMessage: sent, allowLegacy: false) }
        #expect(refusal == .messageType && refusal.failInfo == .badRequest)
        let reply = try read(
            try #require(server.failure(toRefused: sent, allowLegacy: false, refusal.failInfo)))
        #expect(reply.attribute(Self.status) == .text("2"))
        #expect(reply.attribute(Self.failInfo) == .text("2"))
        #expect(reply.attribute(Self.transactionID) == .text("T-2"))
        #expect(reply.attribute(Self.recipientNonce) == .octets(Data(1...16)))
    }
}
