public import Foundation

/// A certificate, as Apple's Security framework names it.
///
/// The functions of Apple's API for it are in this module, too.
public final class SecCertificate: Sendable {
    /// The certificate in DER.
    ///
    /// Martlet's own, as a bridge to other libraries: `X509.Certificate(derEncoded: [UInt8](…))`,
    /// `NIOSSLCertificate(bytes: [UInt8](…), format: .der)`.
    public let derRepresentation: Data

    let fields: CertificateFields

    /// Reads a certificate; nil when the bytes are none.
    init?(der: Data) {
        guard let fields = CertificateFields(der) else { return nil }
        self.fields = fields
        derRepresentation = der
    }
}

extension SecCertificate: Hashable {
    /// Two certificates are the same when their bytes are.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left.derRepresentation == right.derRepresentation
    }

    /// Goes by the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(derRepresentation)
    }
}
