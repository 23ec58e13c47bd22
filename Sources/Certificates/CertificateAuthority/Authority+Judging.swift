import Crypto
package import Foundation
import SwiftASN1
import X509

extension Authority {
    /// Says whether a certificate is a device certificate of ours that is valid at `now`, and if not, why.
    ///
    /// It does not say whose it is: the caller looks for the enrollment that the fingerprint is pinned to. One that ended
    /// no longer ago than `grace` is accepted, too: what it is still good for is for the caller to say.
    package func judge(_ certificateDER: Data, now: Date, grace: TimeInterval = 0) -> CertificateVerdict {
        guard certificateDER.count <= Self.inputLimit,
            let judged = try? Certificate(derEncoded: [UInt8](certificateDER))
        else { return .refused(.unreadable) }
        guard judged.issuer == certificate.subject else { return .refused(.otherIssuer) }
        guard judged.signatureAlgorithm == .sha256WithRSAEncryption,
            certificate.publicKey.isValidSignature(judged.signature, for: judged)
        else { return .refused(.signature) }
        guard judged.notValidBefore <= now else { return .refused(.notYetValid) }
        guard now <= judged.notValidAfter + grace else { return .refused(.expired) }
        guard let extensions = try? DeviceExtensions(judged.extensions) else { return .refused(.extensions) }
        guard extensions.isForClients else { return .refused(.notForClients) }
        return .issuedByUs(
            IssuedCertificate(
                subject: judged.subject.commonName ?? "",
                serial: Data(judged.serialNumber.bytes),
                notBefore: judged.notValidBefore,
                notAfter: judged.notValidAfter,
                publicKeyDigest: Data(SHA256.hash(data: judged.publicKey.subjectPublicKeyInfoBytes)),
                fingerprint: Data(SHA256.hash(data: certificateDER))))
    }

    /// Whether this authority signed a certificate, whatever that is for and whenever it is valid.
    package func hasSigned(_ certificateDER: Data) -> Bool {
        guard certificateDER.count <= Self.inputLimit,
            let judged = try? Certificate(derEncoded: [UInt8](certificateDER)), judged.issuer == certificate.subject
        else { return false }
        return certificate.publicKey.isValidSignature(judged.signature, for: judged)
    }

    /// The common name in a certificate; neither its issuer nor its dates are looked at.
    ///
    /// Nothing if the certificate cannot be read or has no common name.
    package static func commonName(of certificateDER: Data) -> String? {
        guard certificateDER.count <= inputLimit else { return nil }
        return (try? Certificate(derEncoded: [UInt8](certificateDER)))?.subject.commonName
    }
}

/// What the authority says of a certificate that a peer shows.
package enum CertificateVerdict: Sendable, Equatable {
    case issuedByUs(IssuedCertificate)
    case refused(CertificateRefusal)
}

/// The facts of a device certificate of ours.
package struct IssuedCertificate: Sendable, Hashable {
    /// The common name.
    package let subject: String
    package let serial: Data
    package let notBefore: Date
    package let notAfter: Date
    /// The SHA-256 digest of the key (SubjectPublicKeyInfo).
    package let publicKeyDigest: Data
    /// The SHA-256 digest of the certificate.
    package let fingerprint: Data
}

/// Why a certificate is not accepted as a device's.
package enum CertificateRefusal: String, Error, Sendable, CaseIterable {
    case unreadable
    case otherIssuer
    case signature
    case notYetValid
    case expired
    case extensions
    case notForClients
}

extension CertificateRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable: "the certificate cannot be read"
        case .otherIssuer: "the certificate is from another authority"
        case .signature: "the certificate's signature is not ours"
        case .notYetValid: "the certificate is not valid yet"
        case .expired: "the certificate has expired"
        case .extensions: "the certificate's extensions are not those of a device"
        case .notForClients: "the certificate is not for clients"
        }
    }
}

/// What the extensions of a device certificate say.
private struct DeviceExtensions {
    let isForClients: Bool

    init(_ extensions: Certificate.Extensions) throws {
        for entry in extensions where entry.critical && !Self.understood.contains(entry.oid) {
            throw CertificateRefusal.extensions
        }
        if case .isCertificateAuthority = try extensions.basicConstraints { throw CertificateRefusal.extensions }
        guard let usage = try extensions.keyUsage, usage.digitalSignature else { throw CertificateRefusal.extensions }
        isForClients = try extensions.extendedKeyUsage?.contains(.clientAuth) ?? false
    }

    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
    ]
}

extension DistinguishedName {
    fileprivate var commonName: String? {
        let attribute = lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
        return attribute.flatMap { String($0.value) }
    }
}
