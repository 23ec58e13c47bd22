import Crypto
package import Foundation
import SwiftASN1
import X509

/// The signer of a package, as the certificate of a developer's team names it.
package struct Signer: Hashable, Sendable {
    /// Ten capital letters and digits: the certificate's organizational unit.
    package let team: String
    package let commonName: String?
    package let notBefore: Date
    package let notAfter: Date
    /// The SHA-256 of the certificate.
    package let fingerprint: [UInt8]
    package let certificateDER: Data

    /// Reads a certificate for code signing, from any issuer and for any time.
    package init(certificateDER: Data) throws(PackageRefusal) {
        let certificate = try SigningCertificate(certificateDER)
        try certificate.checkPurpose()
        guard let team = certificate.team else { throw PackageRefusal(.certificateTeam) }
        self.team = team
        commonName = certificate.commonName
        notBefore = certificate.value.notValidBefore
        notAfter = certificate.value.notValidAfter
        fingerprint = Array(SHA256.hash(data: certificateDER))
        self.certificateDER = certificateDER
    }
}

/// A certificate of a chain, read strictly.
struct SigningCertificate {
    let value: Certificate
    let der: Data
    /// The team that the subject names, if it names exactly one.
    let team: String?
    /// Whether the subject has an organizational unit of any form.
    let hasUnit: Bool

    private static let largest = 16_384

    init(_ der: Data) throws(PackageRefusal) {
        guard der.count <= Self.largest, let value = try? Certificate(derEncoded: [UInt8](der)) else {
            throw PackageRefusal(.certificateUnreadable)
        }
        self.value = value
        self.der = der
        let units = value.subject.texts(.RDNAttributeType.organizationalUnitName)
        hasUnit = !units.isEmpty
        team = units.count == 1 ? units.first.flatMap { $0.flatMap { Self.isTeam($0) ? $0 : nil } } : nil
        for entry in value.extensions where entry.critical && !Self.understood.contains(entry.oid) {
            throw PackageRefusal(.certificateUnreadable)
        }
    }

    /// Ten characters, as Apple's team identifiers have.
    static func isTeam(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            }
    }

    var commonName: String? {
        value.subject.texts(.RDNAttributeType.commonName).first.flatMap { $0 }
    }

    func checkValidity(_ now: Date) throws(PackageRefusal) {
        guard value.notValidBefore <= now else { throw PackageRefusal(.certificateNotYetValid) }
        guard now <= value.notValidAfter else { throw PackageRefusal(.certificateExpired) }
    }

    /// Demands what a certificate must allow before code is signed with it: both usages stated, no authority.
    func checkPurpose() throws(PackageRefusal) {
        let usage: KeyUsage?
        let purposes: ExtendedKeyUsage?
        do {
            usage = try value.extensions.keyUsage
            purposes = try value.extensions.extendedKeyUsage
        } catch {
            throw PackageRefusal(.certificateUnreadable)
        }
        guard usage?.digitalSignature == true, purposes?.contains(.codeSigning) == true, try pathLimit() == nil else {
            throw PackageRefusal(.certificatePurpose)
        }
    }

    /// Demands that this certificate may issue one with `below` authorities in between.
    func checkAuthority(below: Int) throws(PackageRefusal) {
        guard let limit = try pathLimit(), below <= limit,
            (try? value.extensions.keyUsage?.keyCertSign) ?? true
        else { throw PackageRefusal(.untrusted) }
    }

    /// How many authorities may lie below this one; nil when it is none.
    private func pathLimit() throws(PackageRefusal) -> Int? {
        do {
            switch try value.extensions.basicConstraints {
            case .isCertificateAuthority(let most): return most ?? .max
            case .notCertificateAuthority, nil: return nil
            }
        } catch {
            throw PackageRefusal(.certificateUnreadable)
        }
    }

    /// Whether `issuer` signed this certificate, by a digest of which no two alike can be made.
    func isIssued(by issuer: SigningCertificate) -> Bool {
        value.issuer == issuer.value.subject && value.signatureAlgorithm != .sha1WithRSAEncryption
            && issuer.value.publicKey.isValidSignature(value.signature, for: value)
    }

    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName,
    ]
}

extension DistinguishedName {
    /// The values of one attribute; nil for a value that is no text.
    fileprivate func texts(_ type: ASN1ObjectIdentifier) -> [String?] {
        flatMap { $0 }.filter { $0.type == type }.map { String($0.value) }
    }
}
