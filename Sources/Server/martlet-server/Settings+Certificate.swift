import ArgumentParser
import CertificateAuthority
import Configuration
import Foundation
import ServerHTTP

extension Settings {
    static func certificateFiles(_ options: SettingOptions, _ reader: ConfigReader) throws -> CertificateFiles? {
        let key = options.keyFile ?? reader.string(forKey: "keyFile")
        guard let certificate = options.certificateFile ?? reader.string(forKey: "certificateFile") else {
            if let key {
                throw ValidationError(
                    "\(key) (--key-file, keyFile) is the key of a certificate that is not named: "
                        + "name its file with --certificate-file or certificateFile.")
            }
            return nil
        }
        return CertificateFiles(certificate: certificate, key: key ?? certificate)
    }

    /// Where the server's certificate comes from: the operator's files, or the authority itself.
    func certificateSource(_ directory: DataDirectory, _ authority: Authority) -> CertificateSource {
        if let certificateFiles { return CertificateSource(certificateFiles, hostnames: clientsNames) }
        let remedy = "the server issues another by itself; if not, the log says why, or its authority (ca.pem) ends"
        return CertificateSource(remedy: remedy) { [hostnames] now in
            do {
                return try directory.issuedCertificate(of: authority, hostnames: hostnames, now: now)
            } catch let refusal as Refusal {
                throw UnusableCertificate(rule: refusal.rule)
            }
        }
    }

    /// The names by which clients reach the server.
    private var clientsNames: [String] {
        guard let name = nameInURL else { return hostnames }
        return hostnames.contains(name) ? hostnames : hostnames + [name]
    }

    /// The names without which clients refuse the server's certificate.
    ///
    /// Where the URL says how clients reach the server, hosts that no setting names need not be in the certificate.
    var requiredNames: [String] {
        guard let name = nameInURL, hostnames == Self.usualHostnames else { return clientsNames }
        return [name]
    }

    private var nameInURL: String? {
        url.flatMap { URLComponents(string: $0)?.host }?.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    }
}
