import Crypto
import CryptoExtras
package import Foundation
package import InputBounds
import SwiftASN1
import X509

/// The certificate request that finalizes an order: well formed, and signed by its own key.
package struct ACMECertificateRequest: Sendable, Equatable {
    package let der: Data
    /// The key that asks for a certificate, in the form that accounts' keys have.
    package let key: JSONWebKey
    /// The same as SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: Data
    /// The permanent identifiers among its alternative names.
    package let permanentIdentifiers: [String]

    package static let sizeLimit = 16_384

    package init(parsing der: Data) throws(ACMEProblem) {
        guard der.count <= Self.sizeLimit, let request = try? CertificateSigningRequest(derEncoded: [UInt8](der)) else {
            throw ACMEProblem(.badCSR, "The certificate request is not DER of PKCS #10 of at most 16384 bytes.")
        }
        guard let key = Self.webKey(request.publicKey), let publicKeyInfo = try? request.publicKey.der else {
            throw ACMEProblem(
                .badCSR, "The key of the certificate request is neither P-256, P-384 nor RSA 2048 to 4096.")
        }
        guard request.signatureAlgorithm != .sha1WithRSAEncryption,
            request.publicKey.isValidSignature(request.signature, for: request)
        else { throw ACMEProblem(.badCSR, "The signature of the certificate request does not verify.") }
        self.der = der
        self.key = key
        self.publicKeyInfo = publicKeyInfo
        do { permanentIdentifiers = try Self.permanentIdentifiers(request) } catch {
            throw ACMEProblem(.badCSR, "The extensions of the certificate request cannot be read.")
        }
    }

    /// Reads the payload of an order's finalize URL.
    package init(_ document: JSONValue) throws(ACMEProblem) {
        guard let text = document["csr"]?.string, let der = Base64URL.decode(text) else {
            throw ACMEProblem(.malformed, "An order is finalized with csr in Base64 for URLs.")
        }
        try self.init(parsing: der)
    }

    /// Nothing for a kind or size that is not certified.
    private static func webKey(_ key: Certificate.PublicKey) -> JSONWebKey? {
        if let rsa = _RSA.Signing.PublicKey(key) {
            guard (2048...4096).contains(rsa.keySizeInBits) else { return nil }
            return try? JSONWebKey(.rsa(rsa))
        }
        if let key = P256.Signing.PublicKey(key) { return try? JSONWebKey(.p256(key)) }
        if let key = P384.Signing.PublicKey(key) { return try? JSONWebKey(.p384(key)) }
        return nil
    }

    private static func permanentIdentifiers(_ request: CertificateSigningRequest) throws -> [String] {
        guard request.attributes.count <= 16 else { throw ACMEProblem(.badCSR, "") }
        guard let asked = try request.attributes.extensionRequest else { return [] }
        guard let names = try asked.extensions.subjectAlternativeNames else { return [] }
        var found: [String] = []
        for case .otherName(let name) in names where name.typeID == PermanentIdentifierName.type {
            guard let value = name.value else { throw ACMEProblem(.badCSR, "") }
            found.append(try PermanentIdentifierName.text(value))
        }
        return found
    }
}

/// A permanent identifier as an alternative name (RFC 4043): a text, whose assigner is left out.
package enum PermanentIdentifierName {
    static let type: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 8, 3]

    /// The text in `SEQUENCE { identifierValue UTF8String OPTIONAL, assigner OBJECT IDENTIFIER OPTIONAL }`.
    static func text(_ value: ASN1Any) throws -> String {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        let node = try DER.parse(serializer.serializedBytes)
        return try DER.sequence(node, identifier: .sequence) { nodes in
            guard let first = nodes.next() else { return "" }
            _ = nodes.next()
            return String(try ASN1UTF8String(derEncoded: first))
        }
    }
}

extension Certificate.PublicKey {
    var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return Data(serializer.serializedBytes)
        }
    }
}
