package import Foundation
import SwiftASN1
import X509

/// The certificates that a server issued: the one for the requested key, then those that vouch for it.
package struct ACMEChain: Sendable, Equatable {
    /// In DER, the leaf first.
    package let certificates: [Data]

    /// A leaf, three intermediates and a root are more than any authority sends.
    private static let longest = 8

    /// Reads PEM; the first certificate must be for the key of the request.
    init(_ pem: Data, certificateRequest: Data) throws(ACMERefusal) {
        guard pem.count <= ACMEHTTPResponse.sizeLimit,
            let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self)),
            (1...Self.longest).contains(documents.count),
            documents.allSatisfy({ $0.discriminator == "CERTIFICATE" }),
            let request = try? CertificateSigningRequest(derEncoded: [UInt8](certificateRequest)),
            let parsed = try? documents.map({ try Certificate(derEncoded: $0.derBytes) }),
            parsed.first?.publicKey == request.publicKey
        else { throw .certificate }
        certificates = documents.map { Data($0.derBytes) }
    }
}
