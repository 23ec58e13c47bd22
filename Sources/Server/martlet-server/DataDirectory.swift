import CertificateAuthority
import Foundation
import NIOSSL

/// Everything the server keeps: the database, the authority with its key, the TLS certificate with its key.
///
/// Only its owner may enter it; the authority's certificate inside is what others are given.
struct DataDirectory: Sendable {
    private static let renewal: TimeInterval = 30 * 86_400

    private let url: URL

    /// Opens the directory, making it if it is missing; one that others may enter is refused.
    init(path: String) throws {
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        let files = FileManager.default
        do {
            try files.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Refusal(rule: "the data directory cannot be created")
        }
        let attributes = try? files.attributesOfItem(atPath: url.path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw Refusal(rule: "the data directory must be open to its owner alone (chmod 700)")
        }
    }

    var databasePath: String { url.appending(path: "martlet.sqlite").path }

    /// The authority that was stored, or a new one if there is none.
    func authority(organization: String, now: Date) throws -> Authority {
        let certificate = url.appending(path: "ca.pem")
        let key = url.appending(path: "ca.key")
        switch (read(certificate), read(key)) {
        case (let certificatePEM?, let keyPEM?):
            do {
                return try Authority(certificatePEM: certificatePEM, keyPEM: keyPEM)
            } catch {
                throw Refusal(rule: "ca.pem and ca.key in the data directory do not make an authority")
            }
        case (nil, nil):
            let authority = try Authority.create(commonName: "\(organization.prefix(40)) device authority", now: now)
            try write(authority.keyPEM, to: key)
            try write(authority.certificatePEM, to: certificate)
            return authority
        case (nil, _?):
            // The key is written first: a start that was cut short left no certificate and nothing issued.
            try FileManager.default.removeItem(at: key)
            return try self.authority(organization: organization, now: now)
        default:
            throw Refusal(rule: "ca.key is missing in the data directory while ca.pem is there; restore both")
        }
    }

    /// The certificate the server shows: made anew when it nears its end or does not name every host.
    func serverCertificate(
        of authority: Authority, hostnames: [String], now: Date
    ) throws -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        let file = url.appending(path: "server.pem")
        let names = hostnames.joined(separator: " ")
        // One file, so that certificate and key cannot be torn apart; its first line says for whom it is.
        let header = "# \(names) \(authority.fingerprint.base64EncodedString())\n"
        if let text = read(file), text.hasPrefix(header), let found = try? load(text),
            isFresh(found.chain, now: now)
        {
            return found
        }
        let issued: (certificatePEM: String, keyPEM: String)
        do {
            issued = try authority.issueServer(hostnames: hostnames, now: now)
        } catch {
            throw Refusal(rule: "each hostname is a DNS name or an IP address")
        }
        let text = header + issued.certificatePEM + "\n" + authority.certificatePEM + "\n" + issued.keyPEM + "\n"
        try write(text, to: file)
        return try load(text)
    }

    private func load(_ text: String) throws -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        let bytes = Array(text.utf8)
        return (try NIOSSLCertificate.fromPEMBytes(bytes), try NIOSSLPrivateKey(bytes: bytes, format: .pem))
    }

    private func isFresh(_ chain: [NIOSSLCertificate], now: Date) -> Bool {
        guard let certificate = chain.first else { return false }
        return Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter)) > now + Self.renewal
    }

    private func read(_ file: URL) -> String? {
        try? String(contentsOf: file, encoding: .utf8)
    }

    /// Written beside and renamed, readable by the owner alone.
    private func write(_ text: String, to file: URL) throws {
        let draft = file.appendingPathExtension("new")
        let files = FileManager.default
        try? files.removeItem(at: draft)
        guard
            files.createFile(
                atPath: draft.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw Refusal(rule: "the data directory cannot be written to") }
        let handle = try FileHandle(forUpdating: draft)
        try handle.synchronize()
        try handle.close()
        guard unsafe rename(draft.path, file.path) == 0 else {
            throw Refusal(rule: "the data directory cannot be written to")
        }
    }
}

/// Why the server does not start.
struct Refusal: Error, CustomStringConvertible {
    let rule: String

    var description: String { rule }
}
