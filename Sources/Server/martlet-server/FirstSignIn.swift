import CertificateAuthority
import Crypto
import Foundation
import NIOSSL
import ServerHTTP

/// What the first sign-in needs, until somebody has signed in, as the server's start prints it.
enum FirstSignIn {
    /// Names the authority by its file and its fingerprint.
    ///
    /// If another authority issued the operator's certificate, ca.pem does not vouch for the server: the lines also
    /// name that certificate, and what the login needs.
    static func lines(
        _ directory: DataDirectory, _ authority: Authority, _ certificate: LoadedCertificate,
        of files: CertificateFiles?
    ) -> [String] {
        var lines = [
            "data directory: \(directory.url.path)", "authority: \(directory.authorityPath)",
            "authority's fingerprint (SHA-256): \(digits(authority.fingerprint))",
        ]
        guard let files, let own = try? certificate.chain.first?.toDERBytes(), !authority.hasSigned(Data(own)) else {
            return lines
        }
        lines += [
            "certificate: \(files.certificate)",
            "certificate's fingerprint (SHA-256): \(digits(SHA256.hash(data: own)))",
            "another authority issued it: give martlet login that authority's certificate with --ca-file, not ca.pem",
        ]
        return lines
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
