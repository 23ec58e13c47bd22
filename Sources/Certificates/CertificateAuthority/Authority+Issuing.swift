import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
import X509

extension Authority {
    /// Issues the identity certificate of a device for the key in its certificate request.
    ///
    /// The request's own signature is checked; its subject and extensions are not used: the name is `commonName`.
    package func issueDevice(
        requestDER: Data, commonName: String, now: Date, validity: TimeInterval = deviceValidity,
        serial: CertificateSerial = .random()
    ) throws -> Data {
        guard requestDER.count <= Self.inputLimit,
            let request = try? CertificateSigningRequest(derEncoded: [UInt8](requestDER)),
            request.publicKey.isValidSignature(request.signature, for: request)
        else { throw IssuanceRefusal.request }
        return try issueDevice(
            key: request.publicKey, commonName: commonName, notBefore: now - Self.clockTolerance,
            notAfter: now + validity, serial: serial)
    }

    /// Issues the identity certificate of a device for a public key (SubjectPublicKeyInfo) whose possession was proven.
    package func issueDevice(
        publicKeyDER: Data, commonName: String, notBefore: Date, notAfter: Date, serial: CertificateSerial = .random()
    ) throws -> Data {
        guard publicKeyDER.count <= Self.inputLimit,
            let key = try? Certificate.PublicKey(derEncoded: [UInt8](publicKeyDER))
        else { throw IssuanceRefusal.publicKey }
        return try issueDevice(
            key: key, commonName: commonName, notBefore: notBefore, notAfter: notAfter, serial: serial)
    }

    private func issueDevice(
        key deviceKey: Certificate.PublicKey, commonName: String, notBefore: Date, notAfter: Date,
        serial: CertificateSerial
    ) throws -> Data {
        guard Self.isAcceptable(deviceKey) else { throw IssuanceRefusal.publicKey }
        guard !commonName.isEmpty, commonName.utf8.count <= 64 else { throw IssuanceRefusal.commonName }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true, keyEncipherment: _RSA.Signing.PublicKey(deviceKey) != nil))
            try ExtendedKeyUsage([.clientAuth])
            SubjectKeyIdentifier(hash: deviceKey)
            authorityKeyIdentifier
        }
        return try sign(
            publicKey: deviceKey, subject: DistinguishedName { CommonName(commonName) }, extensions: extensions,
            notBefore: notBefore, notAfter: notAfter, serial: serial
        ).der
    }

    /// Whether a server's certificate can be issued for these names: 1 to 64 addresses and DNS names.
    package static func canNameServer(_ hostnames: [String]) -> Bool {
        (1...64).contains(hostnames.count) && hostnames.allSatisfy { IPAddress($0) != nil || isDNSName($0) }
    }

    /// Issues the server's TLS certificate with a new P-256 key.
    ///
    /// A host name that is an IP address becomes an address in the certificate, any other a DNS name.
    package func issueServer(
        hostnames: [String], now: Date, validity: TimeInterval = serverValidity, serial: CertificateSerial = .random()
    ) throws -> (certificatePEM: String, keyPEM: String) {
        guard let first = hostnames.first, Self.canNameServer(hostnames) else { throw IssuanceRefusal.hostnames }
        let names = hostnames.map { name -> GeneralName in
            if let address = IPAddress(name) { return .ipAddress(ASN1OctetString(contentBytes: address.bytes[...])) }
            return .dnsName(name)
        }
        let key = P256.Signing.PrivateKey()
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(names)
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            authorityKeyIdentifier
        }
        let certificate = try sign(
            publicKey: Certificate.PublicKey(key.publicKey),
            subject: DistinguishedName { CommonName(String(first.prefix(64))) }, extensions: extensions,
            notBefore: now - Self.clockTolerance, notAfter: now + validity, serial: serial)
        return (try certificate.serializeAsPEM().pemString, key.pemRepresentation)
    }

    func sign(
        publicKey: Certificate.PublicKey, subject: DistinguishedName, extensions: Certificate.Extensions,
        notBefore: Date, notAfter: Date, serial: CertificateSerial
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: serial.bytes),
            publicKey: publicKey,
            notValidBefore: notBefore,
            // A certificate must not outlive the one that vouches for it.
            notValidAfter: min(notAfter, certificate.notValidAfter),
            issuer: certificate.subject,
            subject: subject,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: extensions,
            issuerPrivateKey: key)
    }

    var authorityKeyIdentifier: AuthorityKeyIdentifier {
        AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: certificate.publicKey).keyIdentifier)
    }

    static let inputLimit = 16_384

    static func isAcceptable(_ key: Certificate.PublicKey) -> Bool {
        if let rsa = _RSA.Signing.PublicKey(key) { return (2048...4096).contains(rsa.keySizeInBits) }
        return P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil
    }

    /// Letters, digits, hyphens and dots, at most 253 octets: names as they stand in URLs.
    static func isDNSName(_ name: String) -> Bool {
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { octet in
                    switch octet {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}

/// Why a certificate is not issued.
package enum IssuanceRefusal: Error, Sendable, Equatable {
    /// The certificate request cannot be read or its signature does not verify.
    case request
    /// Not RSA 2048–4096, P-256 or P-384.
    case publicKey
    /// Empty or longer than 64 bytes, the limit of X.520.
    case commonName
    /// Empty or longer than 255 bytes.
    case permanentIdentifier
    /// None, more than 16 attributes, or one that is empty, too long or of an unknown kind.
    case subject
    /// Empty, longer than 1024 bytes, or not what its kind may be.
    case alternativeName
    /// Neither signs nor enciphers, lives no time, or is for what identities are not for.
    case profile
    /// None, more than 64, or one that is neither an address nor a DNS name.
    case hostnames
}
