import Foundation
import ManagedApp
import NIOCore
import NIOFoundationCompat
import NIOSSL

/// The private key of a provisioned identity, as TLS asks for it: every signature is the agent's.
struct IdentityPrivateKey: NIOSSLCustomPrivateKey, Hashable {
    private let key: SecKey

    /// What TLS may ask for.
    let signatureAlgorithms: [SignatureAlgorithm]

    init(_ key: SecKey) {
        self.key = key
        signatureAlgorithms = Self.names.filter { algorithm, name in
            // Each curve has its digest in TLS 1.3; the others are left out of TLS 1.2, too.
            SecKeyIsAlgorithmSupported(key, .sign, name) && key.size == Self.curves[algorithm, default: key.size]
        }.map(\.0)
    }

    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        guard let name = Self.name(of: algorithm) else {
            return channel.eventLoop.makeFailedFuture(ManagedAppError.internalError)
        }
        let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
        key.signature(for: Data(buffer: data), algorithm: name) { result in
            promise.completeWith(result.map { ByteBuffer(data: $0) }.mapError { $0 })
        }
        return promise.futureResult
    }

    /// Only an exchange of keys that nobody should use any more needs it.
    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(ManagedAppError.internalError)
    }

    // In the order of preference.
    private static let names: [(SignatureAlgorithm, SecKeyAlgorithm)] = [
        (.ecdsaSecp256R1Sha256, .ecdsaSignatureMessageX962SHA256),
        (.ecdsaSecp384R1Sha384, .ecdsaSignatureMessageX962SHA384),
        (.ecdsaSecp521R1Sha512, .ecdsaSignatureMessageX962SHA512),
        (.rsaPssRsaeSha256, .rsaSignatureMessagePSSSHA256), (.rsaPssRsaeSha384, .rsaSignatureMessagePSSSHA384),
        (.rsaPssRsaeSha512, .rsaSignatureMessagePSSSHA512), (.rsaPkcs1Sha256, .rsaSignatureMessagePKCS1v15SHA256),
        (.rsaPkcs1Sha384, .rsaSignatureMessagePKCS1v15SHA384), (.rsaPkcs1Sha512, .rsaSignatureMessagePKCS1v15SHA512),
    ]

    private static let curves: [SignatureAlgorithm: Int] = [
        .ecdsaSecp256R1Sha256: 256, .ecdsaSecp384R1Sha384: 384, .ecdsaSecp521R1Sha512: 521,
    ]

    private static func name(of algorithm: SignatureAlgorithm) -> SecKeyAlgorithm? {
        names.first { $0.0 == algorithm }?.1
    }
}
