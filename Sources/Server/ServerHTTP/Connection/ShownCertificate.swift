package import Foundation
package import NIOSSL
import Synchronization

/// The certificate that the server shows, and its key; they may be replaced while it serves.
///
/// A connection keeps what it began with.
package final class ShownCertificate: Sendable {
    private struct Shown {
        let context: NIOSSLContext
        let end: Date?
        let certificateDER: Data?
    }

    private let limits: ServerLimits
    private let shown: Mutex<Shown>

    package init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey, limits: ServerLimits) throws {
        self.limits = limits
        shown = Mutex(try Self.made(chain, key, limits))
    }

    /// Shows another one from the next connection on; what does not fit together is refused, and nothing changes.
    package func replace(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws {
        let next = try Self.made(chain, key, limits)
        shown.withLock { $0 = next }
    }

    package var context: NIOSSLContext { shown.withLock { $0.context } }

    /// When it ends.
    package var end: Date? { shown.withLock { $0.end } }

    /// The certificate itself in DER, without its chain.
    package var certificateDER: Data? { shown.withLock { $0.certificateDER } }

    private static func made(
        _ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey, _ limits: ServerLimits
    ) throws -> Shown {
        let configuration = ServerTLS.configuration(certificateChain: chain, key: key, limits: limits)
        return Shown(
            context: try NIOSSLContext(configuration: configuration),
            end: chain.first.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) },
            certificateDER: try chain.first.map { Data(try $0.toDERBytes()) })
    }
}
