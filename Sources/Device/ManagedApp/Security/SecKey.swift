import AppMessages
public import Foundation
import Signatures

/// A key, as Apple's Security framework names it: the public one of a certificate, or a handle to a private one.
///
/// A private key is never here. Its handle has the agent sign, and cannot be exported.
public final class SecKey: Sendable {
    /// Names the private key that a handle signs with.
    package struct Handle: Sendable {
        /// The identity's.
        package let identifier: String

        /// The very key: another after each renewal.
        package let reference: String

        let link: AgentLink
    }

    package let publicKey: PublicKeyBits

    /// In bits.
    package var size: Int { publicKey.size }

    /// Nil for a public key.
    package let handle: Handle?

    /// Whether a chip of the device holds the private key.
    ///
    /// Martlet's own.
    public let isHardwareBound: Bool

    /// Whether the chip has proved so to the authority that issued the certificate.
    ///
    /// Martlet's own.
    public let isAttested: Bool

    /// A public key.
    init(_ publicKey: PublicKeyBits) {
        self.publicKey = publicKey
        handle = nil
        isHardwareBound = false
        isAttested = false
    }

    init(
        signingFor identifier: String, reference: String, publicKey: PublicKeyBits, isHardwareBound: Bool,
        isAttested: Bool, link: AgentLink
    ) {
        self.publicKey = publicKey
        handle = Handle(identifier: identifier, reference: reference, link: link)
        self.isHardwareBound = isHardwareBound
        self.isAttested = isAttested
    }

    /// Signs a message, or a digest where the algorithm says so, without blocking anyone.
    ///
    /// Martlet's own; in source that is also built for iOS, call `SecKeyCreateSignature`.
    ///
    /// - Parameters:
    ///   - data: The message, at most 64 KiB, or the digest.
    ///   - algorithm: One that ``SecKeyIsAlgorithmSupported(_:_:_:)`` names for signing with this key.
    /// - Returns: The signature; for ECDSA as X9.62 in DER.
    /// - Throws: ``ManagedAppError/invalidIdentifier`` when the identity was withdrawn or has another key now,
    ///   ``ManagedAppError/internalError`` for what this key cannot do or the device could not.
    public func signature(for data: Data, algorithm: SecKeyAlgorithm) async throws(ManagedAppError) -> Data {
        guard let request = request(data, algorithm), let handle else { throw .internalError }
        return try await handle.link.signature(request)
    }

    /// A signature for callers that are no tasks; `done` runs on a thread of the library's and must not wait.
    package func signature(
        for data: Data, algorithm: SecKeyAlgorithm, done: @escaping @Sendable (Result<Data, ManagedAppError>) -> Void
    ) {
        guard let request = request(data, algorithm), let handle else { return done(.failure(.internalError)) }
        handle.link.signature(request) { done($0.map(\.signature)) }
    }

    /// What the agent is asked; nil when this key cannot do it.
    func request(_ data: Data, _ algorithm: SecKeyAlgorithm) -> SignRequest? {
        guard let handle, let known = signatureAlgorithm(algorithm), known.takes(data.count) else { return nil }
        return SignRequest(
            identifier: handle.identifier, reference: handle.reference, algorithm: known, data: data)
    }

    /// The algorithm, if it is one of this kind of key's.
    func signatureAlgorithm(_ algorithm: SecKeyAlgorithm) -> SignatureAlgorithm? {
        guard let known = SignatureAlgorithm(name: algorithm.rawValue) else { return nil }
        return (known.scheme == .ecdsa) == (publicKey.kind == .ec) ? known : nil
    }
}

extension SecKey: Hashable {
    /// Two keys are the same when they do the same.
    public static func == (left: SecKey, right: SecKey) -> Bool {
        left.publicKey.bits == right.publicKey.bits && left.handle?.identifier == right.handle?.identifier
            && left.handle?.reference == right.handle?.reference
    }

    /// Goes by the public key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey.bits)
    }
}
