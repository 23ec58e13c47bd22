package import AppMessages
package import Crypto
package import CryptoExtras
import Foundation
import Signatures
import X509

/// An identity as an agent has it, private key included.
package struct PlayedIdentity: Sendable {
    /// A private key in software.
    package enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// What the app is told.
    package let reply: IdentityReply
    private let key: Key

    /// Makes an identity with a new key.
    package init(_ name: String, by authority: TestAuthority, key: Key = .p256(.init()), hardwareBound: Bool = false)
        throws
    {
        self.key = key
        let (publicKey, type, size): (Certificate.PublicKey, IdentityReply.KeyType, Int) =
            switch key {
            case .p256(let key): (.init(key.publicKey), .ec, 256)
            case .p384(let key): (.init(key.publicKey), .ec, 384)
            case .rsa(let key): (.init(key.publicKey), .rsa, key.keySizeInBits)
            }
        let leaf = try authority.issue(name, for: publicKey)
        reply = IdentityReply(
            certificates: [try leaf.der(), try authority.der()], keyType: type, keySize: size,
            reference: UUID().uuidString, hardwareBound: hardwareBound, attested: hardwareBound)
    }

    /// The same key behind another answer.
    package func replying(_ reply: IdentityReply) -> PlayedIdentity { PlayedIdentity(reply: reply, key: key) }

    private init(reply: IdentityReply, key: Key) {
        self.reply = reply
        self.key = key
    }

    /// Signs a message, as the agent does.
    func sign(_ request: SignRequest) throws -> Data {
        let message = request.data
        guard request.algorithm.input == .message else { throw VarlinkError.internalError }
        switch (key, request.algorithm.scheme, request.algorithm.hash) {
        case (.p256(let key), .ecdsa, .sha256):
            return try key.signature(for: SHA256.hash(data: message)).derRepresentation
        case (.p256(let key), .ecdsa, .sha384):
            return try key.signature(for: SHA384.hash(data: message)).derRepresentation
        case (.p384(let key), .ecdsa, .sha384):
            return try key.signature(for: SHA384.hash(data: message)).derRepresentation
        case (.rsa(let key), .rsaPKCS1, .sha256):
            return try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
        case (.rsa(let key), .rsaPSS, .sha256):
            return try key.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation
        case (.rsa(let key), .rsaPSS, .sha384):
            return try key.signature(for: SHA384.hash(data: message), padding: .PSS).rawRepresentation
        case (.rsa(let key), .rsaPSS, .sha512):
            return try key.signature(for: SHA512.hash(data: message), padding: .PSS).rawRepresentation
        default:
            throw VarlinkError.internalError
        }
    }
}
