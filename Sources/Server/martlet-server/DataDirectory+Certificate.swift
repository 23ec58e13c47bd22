import CertificateAuthority
import Foundation
import ServerHTTP

/// The certificate that the server issues to itself, where the operator names none.
extension DataDirectory {
    static let hostnameRule = "each hostname is a DNS name or an IP address (--hostname)"
    static let issuedCertificateFile = "issued-server.pem"
    /// Where servers of before kept it, and where operators put their own.
    static let formerCertificateFile = "server.pem"

    /// The certificate that is kept, or another where it nears its end, is for other names or of another authority.
    ///
    /// What this server did not write stays as it is.
    func issuedCertificate(of authority: Authority, hostnames: [String], now: Date) throws -> LoadedCertificate {
        try moveFormerCertificate()
        if let kept = try ownCertificate(Self.issuedCertificateFile), kept.serves(hostnames, of: authority, now: now) {
            return kept.loaded
        }
        let text: String
        do {
            text = try OwnCertificate.text(for: hostnames, of: authority, now: now)
        } catch {
            throw Refusal(rule: Self.hostnameRule)
        }
        try write(text, to: url.appending(path: Self.issuedCertificateFile))
        guard let issued = OwnCertificate(parsing: text) else {
            throw Refusal(rule: "the server's authority issues no certificate for it: restore ca.pem and ca.key")
        }
        return issued.loaded
    }

    /// What a start would refuse of the certificates that are kept, a line for each.
    func certificateFaults() -> [String] {
        [Self.issuedCertificateFile, Self.formerCertificateFile].compactMap { name in
            do {
                _ = try ownCertificate(name)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    /// Gives what a server of before wrote its name of now.
    ///
    /// Where both are there, both must be this server's.
    private func moveFormerCertificate() throws {
        guard try ownCertificate(Self.formerCertificateFile) != nil else { return }
        _ = try ownCertificate(Self.issuedCertificateFile)
        let (old, new) = (Self.formerCertificateFile, Self.issuedCertificateFile)
        guard unsafe rename(url.appending(path: old).path, url.appending(path: new).path) == 0 else {
            throw unwritten(errno)
        }
        try DigestedFile.syncDirectory(url)
    }

    /// What this server wrote to a file, nothing if there is none; what somebody else wrote is refused.
    private func ownCertificate(_ name: String) throws -> OwnCertificate? {
        let foreign = Refusal(
            rule: "\(name) in the data directory was not written by this server and stays as it is: name it with "
                + "--certificate-file (and the file of its key with --key-file), or move it elsewhere")
        let text: String?
        do { text = try read(url.appending(path: name)) } catch { throw foreign }
        guard let text else { return nil }
        guard let own = OwnCertificate(parsing: text) else { throw foreign }
        return own
    }
}
