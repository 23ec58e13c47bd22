import Foundation
import X509

/// Which organization a request is to be attributed to.
struct LicenseBook: Sendable {
    /// An organization that pays.
    struct Customer: Sendable {
        let name: String

        /// Its license tokens, until all its devices have license keys: one for all devices, or one for each.
        let tokens: [String]

        /// A holder of a certificate from this authority belongs to the organization.
        ///
        /// The authority is the organization's own, or one that the developer keeps for it.
        let authority: Certificate?
    }

    let customers: [Customer]

    /// Whose license key it is.
    ///
    /// TLS has made sure that the peer has the certificate's private key, and that one of the authorities vouches for it
    /// now. It does not say which one, and a name in a certificate proves nothing: only the signature tells.
    func customer(withKey certificate: Certificate) -> Customer? {
        customers.first { $0.authority?.publicKey.isValidSignature(certificate.signature, for: certificate) ?? false }
    }

    /// Whose token it is, and which of theirs, counted from 1.
    ///
    /// Any holder of a token counts as the organization. License keys prevent that.
    func customer(withToken token: String) -> (customer: Customer, number: Int)? {
        for customer in customers {
            let index = customer.tokens.firstIndex { known in
                guard known.utf8.count == token.utf8.count else { return false }
                // All bytes are compared, so that the time says nothing of where the first difference is.
                return zip(known.utf8, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
            }
            if let index { return (customer, index + 1) }
        }
        return nil
    }
}

extension LicenseBook {
    /// Reads a folder: for each organization a file `NAME.pem` with its authority, or `NAME.token` with
    /// a token in each line, or both.
    init(in folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let names = Set(
            files.filter { ["pem", "token"].contains($0.pathExtension) }.map {
                $0.deletingPathExtension().lastPathComponent
            })
        customers = try names.sorted().map { name in
            let file = folder.appending(path: name)
            let token = try? String(contentsOf: file.appendingPathExtension("token"), encoding: .utf8)
            let authority = try? String(contentsOf: file.appendingPathExtension("pem"), encoding: .utf8)
            return Customer(
                name: name, tokens: token?.split(whereSeparator: \.isWhitespace).map(String.init) ?? [],
                authority: try authority.map { try Certificate(pemEncoded: $0) })
        }
    }
}
