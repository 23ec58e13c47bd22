import Foundation
import InputBounds

/// Which certificates of its profile alone a device believes a server by.
package struct ServerPins: Hashable, Sendable {
    /// UUIDs of payloads in upper case, for the command URL and the check-in URL.
    package var server: Set<String>
    package var checkIn: Set<String>
    /// A certificate whose revocation cannot be asked for is not to be believed.
    package var demandsRevocationCheck: Bool

    init(_ fields: MessageFields) throws(InputRefusal) {
        server = Set(try fields.stringsIfPresent("ServerURLPinningCertificateUUIDs") ?? []).uppercased
        checkIn = Set(try fields.stringsIfPresent("CheckInURLPinningCertificateUUIDs") ?? []).uppercased
        demandsRevocationCheck = try fields.boolIfPresent("PinningRevocationCheckRequired") ?? false
    }

    package var isEmpty: Bool { server.isEmpty && checkIn.isEmpty && !demandsRevocationCheck }
}

extension Set<String> {
    fileprivate var uppercased: Set { Set(map { $0.uppercased() }) }
}

/// A certificate of a profile: DER, or PEM as `com.apple.security.pem` and some others carry it.
enum ProfileCertificate {
    static func der(_ content: Data) throws(InputRefusal) -> Data {
        guard content.starts(with: Data("-----".utf8)) else { return content }
        let text = String(decoding: content, as: UTF8.self)
        guard let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = text.range(of: "-----END CERTIFICATE-----", range: begin.upperBound..<text.endIndex),
            let der = Data(
                base64Encoded: String(text[begin.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
        else { throw InputRefusal("a certificate of the profile is neither DER nor PEM") }
        return der
    }
}
