import ArgumentParser
import CertificateAuthority
import Configuration
import Foundation
import ServerHTTP

extension Settings {
    static func certificateFiles(_ options: SettingOptions, _ reader: ConfigReader) throws -> CertificateFiles? {
        let key = options.keyFile ?? reader.string(forKey: "keyFile")
        guard let certificate = options.certificateFile ?? reader.string(forKey: "certificateFile") else {
            guard key == nil else {
                throw ValidationError("A key's file belongs to a certificate's: --certificate-file.")
            }
            return nil
        }
        guard !certificate.isEmpty, key?.isEmpty != true else {
            throw ValidationError("The files of the server's certificate and key need names.")
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
        guard let host = url.flatMap({ URLComponents(string: $0)?.host }) else { return hostnames }
        let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return hostnames.contains(name) ? hostnames : hostnames + [name]
    }
}
