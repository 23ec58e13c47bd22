import CryptographicMessages
package import Foundation

/// The server's half of SCEP (RFC 8894): opens requests and writes replies.
///
/// Whether a request is granted, and by which challenge, the caller decides.
package struct SCEPServer: Sendable {
    /// What GetCACert returns, as `application/x-x509-ca-cert`.
    package let caCertificate: Data
    private let key: LibraryKey

    /// The certificate needs an RSA key that may decipher keys and sign.
    package init(certificateDER: Data, keyPEM: String) throws {
        let key = try SigningKey(pem: keyPEM)
        guard key.isRSA else { throw UnusableKey.unreadable }
        self.key = LibraryKey(key)
        caCertificate = certificateDER
    }

    /// What GetCACaps returns, as `text/plain`.
    package var capabilities: SCEPCapabilities {
        [.aes, .postPKIOperation, .sha256, .sha512, .scepStandard, .renewal]
    }

    /// Opens the message of a PKIOperation.
    ///
    /// The message may be signed with another key than the one to be certified: many clients make a key for the message
    /// alone. The request's own signature proves the requested key, and an altered envelope cannot carry one that verifies.
    /// For a renewal, `signerCertificate` is to be judged by the caller: here only its signature is checked.
    package func open(pkiMessage: Data, allowLegacy: Bool) throws(SCEPRefusal) -> SCEPRequest {
        let policy: CryptographyPolicy = allowLegacy ? .legacy : .modern
        let outer = try SignedMessage.openSCEP(pkiMessage, policy: policy)
        let header = try SCEPHeader(outer)
        let messageType = try outer.scepMessageType()
        guard messageType != .certificateReply else { throw .messageType }
        let envelope: (content: Data, cipher: ContentCipher)
        do {
            envelope = try EnvelopedMessage.open(
                outer.content, certificateDER: caCertificate, key: key, policy: policy)
        } catch {
            throw .inner(error)
        }
        let csr: CertificateRequest
        do { csr = try CertificateRequest(parsing: envelope.content) } catch { throw .request(error) }
        guard csr.isRSA else { throw .request(.key) }
        guard allowLegacy || !csr.usesSHA1 else { throw .request(.legacyAlgorithm) }
        return SCEPRequest(
            header: header, messageType: messageType, cipher: envelope.cipher, csr: csr,
            isSignedByRequestedKey: csr.publicKeyDER == outer.signerPublicKeyInfo)
    }

    /// Grants `request`: the certificate in an envelope for the requester.
    package func success(_ request: SCEPRequest, certificateDER: Data) throws -> Data {
        let envelope = try EnvelopedMessage.seal(
            CertificateBundle.encode([certificateDER]), to: request.signerCertificate, with: request.cipher)
        return try reply(to: request.header, .success, content: envelope)
    }

    /// Refuses `request`.
    ///
    /// The sender of a message that another key signed may have copied the envelope of somebody else. It learns as little
    /// as from an envelope that does not open.
    package func failure(_ request: SCEPRequest, _ info: SCEPFailInfo) throws -> Data {
        try reply(
            to: request.header, .failure,
            failInfo: request.isSignedByRequestedKey ? info : SCEPRefusal.unreadableEnvelope)
    }

    /// Puts `request` off: the client asks again later.
    package func pending(_ request: SCEPRequest) throws -> Data {
        try reply(to: request.header, .pending)
    }

    /// Refuses a message that `open` refused, where at least its outer layer can be read; nil otherwise.
    ///
    /// Types that are not served are answered, too: GetCert, GetCRL and polling, for which there is nothing to find here.
    package func failure(toRefused pkiMessage: Data, allowLegacy: Bool, _ info: SCEPFailInfo) -> Data? {
        guard let outer = try? SignedMessage.openSCEP(pkiMessage, policy: allowLegacy ? .legacy : .modern),
            let header = try? SCEPHeader(outer)
        else { return nil }
        return try? reply(to: header, .failure, failInfo: info)
    }

    private func reply(
        to header: SCEPHeader, _ status: SCEPStatus, failInfo: SCEPFailInfo? = nil, content: Data = Data()
    ) throws -> Data {
        let type = SignedMessage.SignedAttribute.text(SCEPMessageType.certificateReply.rawValue)
        let sender = SignedMessage.SignedAttribute.octets(makeSCEPNonce())
        let recipient = SignedMessage.SignedAttribute.octets(header.senderNonce)
        let transaction = SignedMessage.SignedAttribute.text(header.transactionID)
        let attributes: KeyValuePairs<String, SignedMessage.SignedAttribute>
        if let failInfo {
            attributes = [
                SCEPAttributes.messageType: type, SCEPAttributes.status: .text(status.rawValue),
                SCEPAttributes.failInfo: .text(String(failInfo.rawValue)), SCEPAttributes.senderNonce: sender,
                SCEPAttributes.recipientNonce: recipient, SCEPAttributes.transactionID: transaction,
            ]
        } else {
            attributes = [
                SCEPAttributes.messageType: type, SCEPAttributes.status: .text(status.rawValue),
                SCEPAttributes.senderNonce: sender, SCEPAttributes.recipientNonce: recipient,
                SCEPAttributes.transactionID: transaction,
            ]
        }
        return try SignedMessage.sign(
            content, attributes: attributes, certificateDER: caCertificate, key: key,
            // Anybody can provoke a refusal: the authority's key signs none of them over SHA-1.
            digest: status != .success && header.digest == .sha1 ? .sha256 : header.digest)
    }
}

/// A certificate request that came by SCEP: authentic as far as its own key goes.
package struct SCEPRequest: Sendable {
    let header: SCEPHeader
    package let messageType: SCEPMessageType
    let cipher: ContentCipher
    package let csr: CertificateRequest
    /// Whether one key signed the message and the certificate request in it.
    package let isSignedByRequestedKey: Bool

    package var transactionID: String { header.transactionID }
    package var senderNonce: Data { header.senderNonce }
    /// Self-signed, or for a renewal the certificate to be renewed: to its key the answer is encrypted.
    package var signerCertificate: Data { header.signerCertificate }
    /// SHA-1 or DES was used somewhere in it.
    package var usedLegacy: Bool { header.digest == .sha1 || cipher.isLegacy || csr.usesSHA1 }
}

/// What a reply needs of the message it answers.
struct SCEPHeader: Sendable {
    let transactionID: String
    let senderNonce: Data
    let signerCertificate: Data
    let digest: SCEPDigest

    init(_ message: SignedMessage) throws(SCEPRefusal) {
        transactionID = try message.scepTransactionID()
        senderNonce = try message.scepNonce(SCEPAttributes.senderNonce)
        signerCertificate = message.signerCertificate
        digest = message.digest
    }
}
