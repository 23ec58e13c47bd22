import Foundation

/// The operator's files with the server's certificate, its chain and its key; they are read and never written.
package struct CertificateFiles: Sendable, Equatable {
    /// A chain of certificates and a key take a few kilobytes.
    private static let largest = 1 << 20

    package let certificate: String
    /// May be the same file.
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads both as they are now.
    package func load(hostnames: [String]) throws(UnusableCertificate) -> LoadedCertificate {
        let chain = try Self.read(certificate, setting: "--certificate-file", isKey: false)
        let own = try Self.read(key, setting: "--key-file", isKey: true)
        return try LoadedCertificate(
            certificate: chain, key: own, hostnames: hostnames, names: (certificate: certificate, key: key))
    }

    private static func read(_ path: String, setting: String, isKey: Bool) throws(UnusableCertificate) -> Data {
        let content = isKey ? "the server's private key in PEM" : "the server's certificate in PEM, then its chain"
        var isDirectory = ObjCBool(false)
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw UnusableCertificate(rule: "\(path) (\(setting)) is a directory: name a file that holds \(content)")
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw UnusableCertificate(
                rule: "\(path) (\(setting)) cannot be read: it must be there, open to the user that the server runs as")
        }
        defer { try? file.close() }
        guard !isKey || KeyFileMode.isClosedToOthers(path) else {
            throw UnusableCertificate(
                rule: "\(path) (\(setting)) is open to others than its owner: chmod 600, or 640 if it belongs to root")
        }
        // Of an empty file there is nothing.
        guard let bytes = try? file.read(upToCount: largest + 1) ?? Data(), bytes.count <= largest else {
            throw UnusableCertificate(rule: "\(path) (\(setting)) cannot be read or has more than 1 MiB")
        }
        guard !bytes.isEmpty else {
            throw UnusableCertificate(rule: "\(path) (\(setting)) is empty: it must hold \(content)")
        }
        return bytes
    }
}
