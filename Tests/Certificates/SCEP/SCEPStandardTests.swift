import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import SwiftASN1
import Testing
import X509

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

    /// §2.1.2; red for an authority of whose key a client cannot know that it signs, or that requests are sealed to it.
    @Test func `the authority's certificate says that its key signs, enciphers keys and certifies`() throws {
        let certificate = try Certificate(derEncoded: [UInt8](server.caCertificate))
        let found = try certificate.extensions.keyUsage
        let usage = try #require(found)
        #expect(usage.digitalSignature && usage.keyEncipherment)
        #expect(usage.keyCertSign && usage.cRLSign)
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

    /// §3.2.1 and §3.2.1.4; red for a reason that is written as a number or as text of another type.
    @Test func `a reason is its number in the standard's table, as printable text`() throws {
        let request = try server.open(
            pkiMessage: message.encoded(to: server.caCertificate), allowLegacy: false)
        #expect(SCEPFailInfo.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        for (info, digit) in zip(SCEPFailInfo.allCases, "01234".utf8) {
            let attribute = CMSCraft.attribute(Self.identifier(4), [CMSCraft.tlv(0x13, [digit])])
            #expect(try server.failure(request, info).firstRange(of: Data(attribute)) != nil, "\(info)")
        }
    }

    /// §3.2.1.4: no clock of a client counts, and no certificate is looked for, so neither of those two is said.
    @Test func `a refused message has a bad algorithm, a bad message or a bad request`() {
        var refusals: [SCEPRefusal] = [
            .transactionID, .messageType, .nonce, .status, .otherTransaction, .noCertificate, .weakServer,
        ]
        for refusal in CMSRefusal.allCases { refusals += [.outer(refusal), .inner(refusal)] }
        refusals += CertificateRequestRefusal.allCases.map(SCEPRefusal.request)
        #expect(Set(refusals.map(\.failInfo)) == [.badAlgorithm, .badMessageCheck, .badRequest])
    }

    /// §3.2.1.4; red for a server that answers `badTime`: the clock of a new device may not be set yet.
    @Test(arguments: ["500101000000Z", "010101000000Z", "491231235959Z"])
    func `a message is taken whatever the clock of its signer showed`(_ time: String) throws {
        let envelope = try EnvelopedMessage.seal(message.content, to: server.caCertificate)
        var craft = CMSCraft(message.signer, body: envelope)
        craft.content += CMSCraft.tlv(0xa0, CMSCraft.tlv(4, [UInt8](envelope)))
        craft.attributes += [
            CMSCraft.attribute(CMSCraft.signingTime, [CMSCraft.tlv(0x17, [UInt8](time.utf8))]),
            CMSCraft.attribute(Self.identifier(2), [CMSCraft.tlv(0x13, [UInt8]("19".utf8))]),
            CMSCraft.attribute(Self.identifier(5), [CMSCraft.tlv(4, [UInt8](1...16))]),
            CMSCraft.attribute(Self.identifier(7), [CMSCraft.tlv(0x13, [UInt8]("T-1".utf8))]),
        ]
        let request = try server.open(pkiMessage: craft.encoded(), allowLegacy: false)
        #expect(request.csr.challengePassword == "code")
    }

    /// The identifier of an attribute of SCEP, 2.16.840.1.113733.1.9 and its number, in DER.
    private static func identifier(_ number: UInt8) -> [UInt8] {
        CMSCraft.tlv(6, [0x60, 0x86, 0x48, 0x01, 0x86, 0xf8, 0x45, 0x01, 0x09, number])
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
