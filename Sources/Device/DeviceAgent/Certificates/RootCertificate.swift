package import Foundation
import SwiftASN1
import X509

/// A certificate that apps may be told to trust as the root of others.
package struct RootCertificate: Codable, Equatable, Sendable {
    /// A root of three keys and many constraints takes a few kilobytes.
    package static let largest = 16_384
    private static let longestSummary = 256

    /// In DER.
    package let certificate: Data
    /// Its subject, for people.
    package let summary: String

    /// Why a certificate is no root that can be trusted.
    package struct Refusal: Error, Equatable, Sendable {
        package let sentence: String
    }

    /// Reads a certificate, and holds it against what a root has to be (RFC 5280, 4.2.1.3 and 4.2.1.9) at the time `now`.
    package init(_ der: Data, now: Date) throws(Refusal) {
        guard der.count <= Self.largest else {
            throw Refusal(sentence: "the certificate has \(der.count) bytes; a root may have at most \(Self.largest)")
        }
        let found: Certificate
        do {
            found = try Certificate(derEncoded: Array(der))
        } catch {
            throw Refusal(sentence: "the asset holds no certificate that can be read")
        }
        let subject = Self.name(found.subject)
        if let fault = Self.fault(of: found, now: now) {
            throw Refusal(sentence: "the certificate of \(subject) \(fault)")
        }
        certificate = der
        summary = subject
    }

    /// What keeps a certificate from being a root.
    private static func fault(of found: Certificate, now: Date) -> String? {
        if now < found.notValidBefore { return "is not valid before \(found.notValidBefore.formatted(.iso8601))" }
        if now > found.notValidAfter { return "has expired at \(found.notValidAfter.formatted(.iso8601))" }
        guard case .isCertificateAuthority? = try? found.extensions.basicConstraints else {
            return "is not one of an authority: its basic constraints do not say CA"
        }
        if let usage = try? found.extensions.keyUsage, !usage.keyCertSign {
            return "may not sign others: its key usage lacks keyCertSign"
        }
        guard found.issuer == found.subject else { return "is no root: it was issued by \(name(found.issuer))" }
        guard found.publicKey.isValidSignature(found.signature, for: found) else {
            return "is no root: its signature is not its own"
        }
        return nil
    }

    private static func name(_ name: DistinguishedName) -> String {
        String(String(describing: name).prefix(longestSummary))
    }

    /// The certificate as PEM.
    package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: Array(certificate)).pemString + "\n" }
}
