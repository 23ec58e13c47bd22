package import Foundation
import SwiftASN1
import X509

/// The names and addresses for which a certificate of a server is.
package struct CertifiedNames: Sendable {
    private var names: [String] = []
    private var addresses: [[UInt8]] = []

    /// A certificate that cannot be read has none.
    package init(certificateDER: Data) {
        guard let certificate = try? Certificate(derEncoded: [UInt8](certificateDER)),
            let found = try? certificate.extensions.subjectAlternativeNames
        else { return }
        for name in found {
            switch name {
            case .dnsName(let name): names.append(name.lowercased())
            case .ipAddress(let address): addresses.append(Array(address.bytes))
            default: continue
            }
        }
    }

    /// Whether a client that connects by this name, or to this address, takes the certificate for it.
    ///
    /// A wildcard stands for one whole label, the first (RFC 9525, section 6.3).
    package func cover(_ hostname: String) -> Bool {
        if let address = IPAddress(hostname) { return addresses.contains(address.bytes) }
        let name = hostname.lowercased()
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return names.contains(name) }
        return names.contains(name) || names.contains("*\(name[dot...])")
    }
}
