package import AdminMessages
package import Foundation
import InputBounds

/// A setting's payload as a file holds it.
package enum SettingPayload {
    /// Enough for the largest payload with the white space in which people write it.
    private static let limits = InputLimits(bytes: 1 << 20, objects: 100_000)
    private static let rootCertificate = "root-certificate"

    /// Reads a payload in JSON, or for a root certificate the certificate itself, as PEM or DER.
    ///
    /// Of a file with a certificate only the certificate goes to the server: a key that lies beside it stays.
    package static func read(_ input: Data, kind: String, path: String) throws -> JSON {
        let isJSON = input.first { !" \n\r\t\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "{")
        guard kind == rootCertificate, !isJSON else { return try json(input) }
        let certificates = try CertificateFile.certificates(in: input, of: path)
        guard certificates.count == 1, let certificate = certificates.first else {
            throw Failure(
                .refused, "a root certificate is one certificate, and the file has \(certificates.count)",
                advice: "Set each root as a setting of its own.")
        }
        return .object(["certificate": .string(pem(certificate))])
    }

    /// The payload of this text, for a kind whose payload is one text and nothing else.
    package static func text(_ text: String, kind: String, among kinds: [SettingKind]) throws -> JSON {
        guard let known = kinds.first(where: { $0.name == kind }) else {
            throw Failure(
                .refused, "the server knows no kind of setting with this name",
                advice: "martlet setting kinds lists those that it knows.")
        }
        guard let member = known.textMember else {
            throw Failure(
                .refused, "a payload of this kind is more than one text", advice: "Give it as a file in JSON.")
        }
        return .object([member: .string(text)])
    }

    private static func json(_ input: Data) throws -> JSON {
        let value: JSONValue
        do throws(InputRefusal) {
            value = try JSONValue(parsing: input, limits: limits)
        } catch {
            throw Failure(
                .refused, "this is no acceptable JSON: \(error.sentence)",
                advice: "martlet setting kinds --json says what each kind takes.")
        }
        return try AdminJSON.decode(JSON.self, from: value.encoded())
    }

    private static func pem(_ der: Data) -> String {
        let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }
}
