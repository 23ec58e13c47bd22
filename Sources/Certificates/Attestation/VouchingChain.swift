package import Foundation
package import SwiftASN1
package import X509

/// A chain of certificates, leaf first, that ends under a trusted root.
package struct VouchingChain {
    package let leaf: Certificate

    private static let longest = 5
    private static let certificateBytes = 16_384

    /// Judges a chain as it was sent: each certificate signed by the next, the last by a root, all valid at `now`.
    package init(_ chain: [Data], roots: [Data], now: Date) throws(AttestationRefusal) {
        guard (1...Self.longest).contains(chain.count), chain.allSatisfy({ $0.count <= Self.certificateBytes }) else {
            throw .malformed
        }
        var certificates: [Certificate] = []
        for der in chain {
            guard let certificate = try? Certificate(derEncoded: [UInt8](der)) else { throw .malformed }
            certificates.append(certificate)
        }
        leaf = certificates[0]
        for place in certificates.indices {
            try Self.checkForm(certificates[place], isLeaf: place == 0, below: place - 1, now)
            guard place + 1 < certificates.count else { continue }
            guard Self.isIssued(certificates[place], by: certificates[place + 1]) else { throw .untrustedRoot }
        }
        // A root that was sent along is one of ours or of no use.
        if certificates.count > 1, let last = chain.last, roots.contains(last) { return }
        let end = certificates[certificates.count - 1]
        for root in roots {
            guard let root = try? Certificate(derEncoded: [UInt8](root)), Self.isIssued(end, by: root) else { continue }
            try Self.checkForm(root, isLeaf: false, below: certificates.count - 1, now)
            return
        }
        throw .untrustedRoot
    }

    private static func isIssued(_ certificate: Certificate, by issuer: Certificate) -> Bool {
        // An attacker can make two certificates with the same SHA-1, and have one of them signed.
        certificate.issuer == issuer.subject && certificate.signatureAlgorithm != .sha1WithRSAEncryption
            && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    // `below` counts the authorities between this certificate and the leaf.
    private static func checkForm(
        _ certificate: Certificate, isLeaf: Bool, below: Int, _ now: Date
    ) throws(AttestationRefusal) {
        guard certificate.notValidBefore <= now, now <= certificate.notValidAfter else { throw .expired }
        for entry in certificate.extensions where entry.critical && !understood.contains(entry.oid) {
            throw .certificate
        }
        do {
            switch try certificate.extensions.basicConstraints {
            case .isCertificateAuthority(let most):
                guard !isLeaf, most.map({ below <= $0 }) ?? true else { throw AttestationRefusal.certificate }
                guard try certificate.extensions.keyUsage?.keyCertSign ?? true else {
                    throw AttestationRefusal.certificate
                }
            case .notCertificateAuthority, nil:
                guard isLeaf else { throw AttestationRefusal.certificate }
            }
        } catch let refusal as AttestationRefusal {
            throw refusal
        } catch {
            throw .malformed
        }
    }

    // Alternative names are read where they matter; a critical one is usual where the subject is empty.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName,
    ]

    /// The leaf's public key as SubjectPublicKeyInfo.
    package var publicKeyInfo: Data {
        get throws(AttestationRefusal) {
            do {
                var serializer = DER.Serializer()
                try serializer.serialize(leaf.publicKey)
                return Data(serializer.serializedBytes)
            } catch {
                throw .malformed
            }
        }
    }

    /// Whether the leaf says that it is for this use.
    func isFor(_ usage: ASN1ObjectIdentifier) -> Bool {
        guard let usages = try? leaf.extensions.extendedKeyUsage else { return false }
        return usages.contains(ExtendedKeyUsage.Usage(oid: usage))
    }

    /// The value of one of the leaf's extensions.
    func value(of identifier: ASN1ObjectIdentifier) -> Data? {
        leaf.extensions[oid: identifier].map { Data($0.value) }
    }
}

extension ASN1ObjectIdentifier {
    /// A key with which a TPM vouches for others (tcg-kp-AIKCertificate).
    package static let attestationKeyUsage: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]
    /// A TPM's endorsement key (tcg-kp-EKCertificate).
    package static let endorsementKeyUsage: ASN1ObjectIdentifier = [2, 23, 133, 8, 1]
    /// The lasting name of a device (RFC 4043).
    package static let permanentIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 8, 3]
}
