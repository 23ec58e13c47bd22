package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import Synchronization
import X509

/// By what a server is known before the first word is exchanged with it.
///
/// There is no "accept anything".
package enum ServerTrust: Sendable, Equatable {
    /// The authorities that this system trusts.
    case system
    /// The certificates of a file.
    case certificates([Data])
    /// The SHA-256 of one certificate of the chain that the server presents.
    case fingerprint(Data)

    /// Reads the certificates of a PEM file.
    package init(pem: Data) throws(EnrollmentRefusal) {
        let documents = (try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))) ?? []
        let certificates = documents.filter { $0.discriminator == "CERTIFICATE" }.map { Data($0.derBytes) }
        guard !certificates.isEmpty else { throw .noCertificate }
        self = .certificates(certificates)
    }

    /// Reads 64 hexadecimal digits; colons between them are ignored.
    package init(fingerprint text: String) throws(EnrollmentRefusal) {
        let digits = text.filter { $0 != ":" }.compactMap(\.hexDigitValue)
        guard digits.count == 64, text.filter({ $0 != ":" }).count == 64 else { throw .badFingerprint }
        self = .fingerprint(Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }))
    }

    /// The certificates to trust, learnt from the server if only a fingerprint is known.
    ///
    /// Learning sends nothing and trusts nothing but the fingerprint: the handshake is broken off as soon as the chain was
    /// seen. Every connection after that is verified in full against the certificate that was found.
    package func roots(host: String, port: Int) async throws -> [Data] {
        switch self {
        // Where none are named the system's serve.
        case .system: return []
        case .certificates(let certificates): return certificates
        case .fingerprint(let fingerprint):
            let presented = try await Self.presentedChain(host: host, port: port)
            guard let root = presented.first(where: { $0.digest == fingerprint.hexadecimal }) else {
                throw EnrollmentRefusal.otherFingerprint
            }
            return [root]
        }
    }

    private static func presentedChain(host: String, port: Int) async throws -> [Data] {
        let box = ChainBox()
        let channel: any Channel
        do {
            channel = try await connection(host: host, port: port, showing: box)
        } catch {
            throw ServerSilence(error)
        }
        var isLate = false
        do {
            try await withTimeLimit(.seconds(10)) { try await channel.closeFuture.get() }
        } catch {
            isLate = error is TimeLimitReached
            try? await channel.close()
        }
        guard let chain = box.chain else { throw isLate ? ServerSilence.tookTooLong : .notTLS }
        return chain
    }

    private static func connection(host: String, port: Int, showing box: ChainBox) async throws -> any Channel {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: tls)
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: isAddress ? nil : host,
                        customVerificationCallback: { certificates, promise in
                            box.keep(certificates.prefix(16).compactMap { try? Data($0.toDERBytes()) })
                            // The handshake fails in any case: this connection serves only to see the certificates.
                            promise.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: port).get()
    }
}

/// Carries the presented chain out of the handshake.
private final class ChainBox: Sendable {
    private let kept = Mutex<[Data]?>(nil)

    func keep(_ chain: [Data]) { kept.withLock { $0 = chain } }

    var chain: [Data]? { kept.withLock { $0 } }
}
