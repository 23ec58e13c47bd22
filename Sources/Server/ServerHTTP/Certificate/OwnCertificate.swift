package import CertificateAuthority
import Crypto
package import Foundation
import NIOSSL

/// The certificate that the server issued to itself, as the one file has it that the server writes.
///
/// The first line says for whom it is and which authority issued it; what does not say so, or does not hold what it says,
/// was written by somebody else.
package struct OwnCertificate: Sendable {
    /// So long before its end the certificate is issued anew.
    package static let renewal: TimeInterval = 30 * 86_400
    /// An authority that ends soon lets nothing live longer: no new certificate for less than this.
    private static let leastGain: TimeInterval = 86_400

    package let loaded: LoadedCertificate
    private let header: String
    private let authorityEnd: Date

    /// Takes what the server wrote, and nothing else.
    package init?(parsing text: String) {
        let bytes = Data(text.utf8)
        let name = "the certificate that this server issued"
        let line = String(text.prefix { $0 != "\n" })
        guard line.hasPrefix("# "), let word = line.split(separator: " ").last,
            let fingerprint = Data(base64Encoded: String(word)), fingerprint.count == 32,
            let found = try? LoadedCertificate(
                certificate: bytes, key: bytes, hostnames: [], names: (certificate: name, key: name)),
            found.chain.count == 2, let authority = try? found.chain[1].toDERBytes(),
            Data(SHA256.hash(data: authority)) == fingerprint
        else { return nil }
        header = line
        loaded = found
        authorityEnd = Date(timeIntervalSince1970: TimeInterval(found.chain[1].notValidAfter))
    }

    /// A new one, as it is kept: in one file, so that certificate and key cannot be torn apart.
    package static func text(for hostnames: [String], of authority: Authority, now: Date) throws -> String {
        let issued = try authority.issueServer(hostnames: hostnames, now: now)
        return header(hostnames, authority) + "\n" + issued.certificatePEM + "\n" + authority.certificatePEM + "\n"
            + issued.keyPEM + "\n"
    }

    /// Whether it goes on: it is for these names, of this authority, valid by now, and does not end so soon that it has to
    /// be renewed.
    package func serves(_ hostnames: [String], of authority: Authority, now: Date) -> Bool {
        guard header == Self.header(hostnames, authority) else { return false }
        // One that was issued by a clock that was ahead is refused by everybody else's.
        guard loaded.begin <= now else { return false }
        guard loaded.end <= now + Self.renewal else { return true }
        return min(now + Authority.serverValidity, authorityEnd) < loaded.end + Self.leastGain
    }

    private static func header(_ hostnames: [String], _ authority: Authority) -> String {
        "# \(hostnames.joined(separator: " ")) \(authority.fingerprint.base64EncodedString())"
    }
}
