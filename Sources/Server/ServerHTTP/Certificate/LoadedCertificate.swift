import CertificateAuthority
import Crypto
package import Foundation
package import NIOSSL

/// A certificate with its chain and its key, read and checked against each other.
package struct LoadedCertificate: Sendable {
    /// The server's own certificate first.
    package let chain: [NIOSSLCertificate]
    package let key: NIOSSLPrivateKey
    package let begin: Date
    package let end: Date
    /// Follows from what was read: another one means that the files were changed.
    package let digest: Data
    /// The names of the server that the certificate does not have.
    package let uncovered: [String]

    /// Checks what two files hold; one file may hold both.
    ///
    /// `names` are what errors call the files.
    package init(
        certificate: Data, key keyBytes: Data, hostnames: [String], names: (certificate: String, key: String)
    ) throws(UnusableCertificate) {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(certificate)), let leaf = found.first else {
            throw UnusableCertificate(
                rule: "\(names.certificate) holds no certificate in PEM: put the server's own into it, then its chain")
        }
        // Without a passphrase at hand the library could ask for one at the terminal.
        guard ["ENCRYPTED PRIVATE KEY", ",ENCRYPTED"].allSatisfy({ keyBytes.range(of: Data($0.utf8)) == nil }) else {
            throw UnusableCertificate(rule: "the key in \(names.key) has a passphrase: write it without one")
        }
        guard let own = try? NIOSSLPrivateKey(bytes: Array(keyBytes), format: .pem) else {
            throw UnusableCertificate(rule: "\(names.key) holds no private key in PEM")
        }
        guard Self.belong(found, own) else {
            guard found.dropFirst().contains(where: { Self.belong([$0], own) }) else {
                throw UnusableCertificate(
                    rule: "the key in \(names.key) does not belong to the certificate in \(names.certificate): "
                        + "replace both")
            }
            throw UnusableCertificate(
                rule: "the first certificate in \(names.certificate) is not the server's own: put the one whose key is "
                    + "in \(names.key) first, then its chain")
        }
        chain = found
        key = own
        begin = Date(timeIntervalSince1970: TimeInterval(leaf.notValidBefore))
        end = Date(timeIntervalSince1970: TimeInterval(leaf.notValidAfter))
        digest = Data(SHA256.hash(data: certificate)) + Data(SHA256.hash(data: keyBytes))
        let certified = CertifiedNames(certificateDER: Data((try? leaf.toDERBytes()) ?? []))
        uncovered = hostnames.filter { !certified.cover($0) }
    }

    /// TLS itself takes no key of another certificate.
    private static func belong(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> Bool {
        (try? ShownCertificate(chain: chain, key: key, limits: ServerLimits())) != nil
    }
}

/// Why a certificate cannot be used: which file it is about, and what to do.
package struct UnusableCertificate: Error, Sendable, Equatable, CustomStringConvertible {
    package let rule: String

    package init(rule: String) { self.rule = rule }

    package var description: String { rule }
}
