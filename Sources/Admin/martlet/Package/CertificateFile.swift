import AppPackages
import Foundation

/// Reads files with certificates, as PEM or DER.
enum CertificateFile {
    // Some hundreds of certificates.
    static let largest = 1_048_576
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    static func bytes(at path: String) throws(Failure) -> Data {
        let place = "Its path is \(Printable.line(path))."
        let bytes = try ReadFile.bytes(at: path, upTo: largest, orInput: false)
        guard !bytes.isEmpty else { throw Failure(.refused, "a file is empty", advice: place) }
        guard bytes.count <= largest else { throw Failure(.refused, "a file is too large", advice: place) }
        return bytes
    }

    /// The certificates of one file in their order.
    static func certificates(at path: String) throws(Failure) -> [Data] {
        try certificates(in: bytes(at: path), of: path)
    }

    /// The SHA-256 of a certificate, in lowercase hexadecimal digits.
    static func fingerprint(_ der: Data) -> String { FleetFacts.text(of: der) }

    /// The certificates in the bytes of a file.
    static func certificates(in bytes: Data, of path: String) throws(Failure) -> [Data] {
        guard let text = String(data: bytes, encoding: .utf8), text.contains(begin) else { return [bytes] }
        var found: [Data] = []
        for part in text.components(separatedBy: begin).dropFirst() {
            guard let body = part.components(separatedBy: end).first, part.contains(end),
                let der = Data(base64Encoded: body, options: .ignoreUnknownCharacters)
            else {
                throw Failure(
                    .refused, "a certificate's PEM is damaged", advice: "The file is \(Printable.line(path)).")
            }
            found.append(der)
        }
        return found
    }

    /// What is trusted: all certificates of all files.
    static func trust(_ paths: [String]) throws(Failure) -> TeamTrust {
        var certificates: [Data] = []
        for path in paths { certificates += try self.certificates(at: path) }
        do {
            return try TeamTrust(certificates)
        } catch {
            throw Failure(
                .refused, error.description,
                advice: "Trusted are the certificates in " + paths.map(Printable.line).joined(separator: ", ") + ".")
        }
    }
}
