import Crypto
package import Foundation

/// What an administrator's program calls one request of its own, so that it can be sent again and is done once.
///
/// The key itself is kept nowhere: what is kept is found by its digest, told apart by a fingerprint, and opened with it.
package struct RequestKey: Sendable {
    private static let longest = 255

    /// The sender: the same text from another sender is another key.
    package let principal: String
    private let text: String

    /// A key is up to 255 visible characters of ASCII.
    package init?(_ text: String, of principal: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        self.text = text
        self.principal = principal
    }

    /// Under which the request is kept.
    package var digest: Data {
        Data(SHA256.hash(data: Self.joined(["martlet request", principal, text].map { Data($0.utf8) })))
    }

    /// What tells one request from another: the same parts have the same.
    ///
    /// It is made with the key, so that nobody who reads the store finds out by trying which password was in a body.
    package func fingerprint(of parts: [Data]) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Self.joined(parts), using: SymmetricKey(data: Data(text.utf8))))
    }

    /// The key that seals the answer: the store and the master key without this request key do not open it.
    fileprivate func sealingKey(under master: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master, salt: Data(text.utf8), info: Data("martlet answer".utf8), outputByteCount: 32)
    }

    /// Each part after its length, so that no two lists are alike.
    private static func joined(_ parts: [Data]) -> Data {
        parts.reduce(into: Data()) { $0 += Data("\($1.count):".utf8) + $1 }
    }
}

/// An answer as it is kept: some answers hold what is shown once, a password or a token.
package struct SealedAnswer: Sendable, Equatable {
    package let masterKeyID: String
    /// Nonce, ciphertext and tag.
    package let sealed: Data

    package init(masterKeyID: String, sealed: Data) {
        self.masterKeyID = masterKeyID
        self.sealed = sealed
    }
}

extension MasterKeys {
    func seal(_ answer: Data, to request: RequestKey) throws -> SealedAnswer {
        let box = try AES.GCM.seal(
            answer, using: request.sealingKey(under: current.key), authenticating: request.digest)
        guard let sealed = box.combined else { throw SealRefusal.damaged }
        return SealedAnswer(masterKeyID: current.id, sealed: sealed)
    }

    /// The answer, unless its master key has been replaced since.
    func open(_ answer: SealedAnswer, to request: RequestKey) -> Data? {
        guard let master = key(answer.masterKeyID), let box = try? AES.GCM.SealedBox(combined: answer.sealed) else {
            return nil
        }
        return try? AES.GCM.open(box, using: request.sealingKey(under: master.key), authenticating: request.digest)
    }
}
