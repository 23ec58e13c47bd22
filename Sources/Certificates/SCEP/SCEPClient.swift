import Crypto
package import CryptographicMessages
package import Foundation
import SwiftASN1
import X509

/// The client's half of SCEP (RFC 8894): writes requests and reads replies.
package enum SCEPClient {
    /// What must be remembered between a request and its reply.
    package struct Exchange: Sendable {
        package let transactionID: String
        let senderNonce: Data
        let caCertificate: Data
        let signerCertificate: Data
        let signerKey: LibraryKey
        let requestedKey: Data
    }

    /// The identity that a renewal is signed with.
    package struct CurrentIdentity: Sendable {
        package let certificateDER: Data
        package let key: SigningKey

        package init(certificateDER: Data, key: SigningKey) {
            self.certificateDER = certificateDER
            self.key = key
        }
    }

    /// What the server answered.
    package enum Reply: Sendable, Equatable {
        case issued(certificateDER: Data)
        case pending
        case failed(SCEPFailInfo)
    }

    /// Writes the message that asks for a certificate for `key`, RSA.
    ///
    /// The transaction identifier is the digest of the key, so a repeated request is recognized as the same one.
    /// With `renewing` it is signed by the certificate held so far.
    package static func makeRequest(
        subject: [[[String]]], challenge: String?, key: SigningKey, caCertificate: Data,
        capabilities: SCEPCapabilities, now: Date, wishes: CertificateWishes = CertificateWishes(),
        renewing current: CurrentIdentity? = nil,
        senderNonce: Data = makeSCEPNonce()
    ) throws -> (message: Data, exchange: Exchange) {
        guard capabilities.isSuperset(of: [.aes, .sha256]) else { throw SCEPRefusal.weakServer }
        guard key.isRSA, current?.key.isRSA != false else { throw SCEPRefusal.request(.key) }
        let transactionID = Data(SHA256.hash(data: key.publicKeyInfo)).hex
        let signer = try current?.certificateDER ?? selfSigned(subject: subject, key: key, now: now)
        let signerKey = LibraryKey(current?.key ?? key)
        let request = try CertificateRequest.make(subject: subject, challenge: challenge, key: key, wishes: wishes)
        let envelope = try EnvelopedMessage.seal(request, to: caCertificate)
        let type: SCEPMessageType = current == nil ? .certificateRequest : .renewalRequest
        let message = try SignedMessage.sign(
            envelope,
            attributes: [
                SCEPAttributes.messageType: .text(type.rawValue),
                SCEPAttributes.transactionID: .text(transactionID),
                SCEPAttributes.senderNonce: .octets(senderNonce),
            ],
            certificateDER: signer, key: signerKey)
        let exchange = Exchange(
            transactionID: transactionID, senderNonce: senderNonce, caCertificate: caCertificate,
            signerCertificate: signer, signerKey: signerKey, requestedKey: key.publicKeyInfo)
        return (message, exchange)
    }

    /// Reads the answer to a PKIOperation: signed by the authority, for this transaction and this key.
    ///
    /// Whether the certificate is the authority's own work is for the caller to judge.
    ///
    /// An answer holds no secret, and the certificate in it is judged by itself: a caller may let old algorithms pass.
    package static func readReply(
        _ message: Data, _ exchange: Exchange, policy: CryptographyPolicy = .modern
    ) throws(SCEPRefusal) -> Reply {
        let outer = try SignedMessage.openSCEP(message, policy: policy, expectedSigner: exchange.caCertificate)
        guard try outer.scepMessageType() == .certificateReply else { throw .messageType }
        guard try outer.scepTransactionID() == exchange.transactionID,
            try outer.scepNonce(SCEPAttributes.recipientNonce) == exchange.senderNonce
        else { throw .otherTransaction }
        guard case .text(let text) = outer.attribute(SCEPAttributes.status), let status = SCEPStatus(rawValue: text)
        else { throw .status }
        switch status {
        case .pending:
            return .pending
        case .failure:
            guard case .text(let text) = outer.attribute(SCEPAttributes.failInfo), let number = Int(text),
                let info = SCEPFailInfo(rawValue: number)
            else { return .failed(.badRequest) }
            return .failed(info)
        case .success:
            return .issued(certificateDER: try certificate(in: outer.content, exchange, policy))
        }
    }

    /// Reads the answer to GetCACert: one certificate, or a bundle of the authority and its helpers.
    package static func readCertificates(_ answer: Data) throws(SCEPRefusal) -> [Data] {
        guard answer.count <= CMSLimits.bytes else { throw .outer(.tooLarge) }
        if (try? Certificate(derEncoded: [UInt8](answer))) != nil { return [answer] }
        do { return try CertificateBundle.decode(answer) } catch { throw .outer(error) }
    }

    private static func certificate(
        in content: Data, _ exchange: Exchange, _ policy: CryptographyPolicy
    ) throws(SCEPRefusal) -> Data {
        let certificates: [Data]
        do {
            let opened = try EnvelopedMessage.open(
                content, certificateDER: exchange.signerCertificate, key: exchange.signerKey, policy: policy)
            certificates = try CertificateBundle.decode(opened.content)
        } catch {
            throw .inner(error)
        }
        let granted = certificates.first { der in
            let certificate = try? Certificate(derEncoded: [UInt8](der))
            return (try? certificate?.publicKey.der) == exchange.requestedKey
        }
        guard let granted else { throw .noCertificate }
        return granted
    }

    /// A certificate that says nothing but that who made the message has the key.
    package static func selfSigned(subject: [[[String]]], key: SigningKey, now: Date) throws -> Data {
        let name = try DistinguishedName(profileSubject: subject)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.certificateKey.publicKey,
            notValidBefore: now - 300, notValidAfter: now + 86_400, issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true, keyEncipherment: true))
            },
            issuerPrivateKey: key.certificateKey)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Data(serializer.serializedBytes)
    }
}
