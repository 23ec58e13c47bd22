import Attestation
package import Foundation
package import Signatures

/// A key as its chip gives it away to be kept: of use to that chip only.
package struct TPMKeyBlob: Sendable, Hashable, Codable {
    /// TPMT_PUBLIC.
    package let publicArea: Data
    /// The private part, encrypted by the chip.
    package let privateArea: Data

    package init(publicArea: Data, privateArea: Data) {
        self.publicArea = publicArea
        self.privateArea = privateArea
    }

    /// As SubjectPublicKeyInfo; `nil` for sealed bytes.
    package var publicKeyInfo: Data? { (try? TPMPublicArea(decoding: publicArea))?.publicKeyInfo }
}

/// What kind of key the chip shall make.
package enum TPMKeyKind: String, Sendable, CaseIterable {
    case p256, p384, rsa2048
}

extension TPM {
    /// Makes a key that signs and never leaves the chip.
    package func createKey(_ kind: TPMKeyKind) async throws(TPMFailure) -> TPMKeyBlob {
        try await create(TPMTemplate.signing(kind))
    }

    /// Makes a key that vouches for other keys, and signs nothing that the chip did not write itself.
    package func createAttestationKey() async throws(TPMFailure) -> TPMKeyBlob {
        try await create(TPMTemplate.attestationKey)
    }

    /// Signs a digest; an ECDSA signature is DER.
    package func sign(
        _ digest: Data, with key: TPMKeyBlob, _ scheme: SignatureAlgorithm.Scheme, _ hash: SignatureAlgorithm.Hash
    ) async throws(TPMFailure) -> Data {
        try await perform { connection throws(TPMFailure) in try connection.sign(digest, with: key, scheme, hash) }
    }

    /// Has one key vouch for another: what the chip says of `key`, signed by `attestationKey`.
    package func certify(
        _ key: TPMKeyBlob, by attestationKey: TPMKeyBlob, nonce: Data
    ) async throws(TPMFailure) -> (certification: Data, signature: Data) {
        try await perform { connection throws(TPMFailure) in
            try connection.withLoaded(key) { certified throws(TPMFailure) in
                try connection.withLoaded(attestationKey) { certifier throws(TPMFailure) in
                    var writer = TPMWriter()
                    writer.sized(nonce)
                    writer.integer(TPMAlgorithm.null.rawValue)
                    var answer = try connection.run(
                        TPMCommand(
                            .certify, handles: [certified, certifier],
                            authorizations: [.emptyPassword, .emptyPassword], parameters: writer.data)
                    ).parameters
                    return (try answer.buffer(), try answer.rest())
                }
            }
        }
    }

    /// Encrypts a few bytes, 128 at most, so that only this chip can decrypt them.
    package func seal(_ secret: Data) async throws(TPMFailure) -> TPMKeyBlob {
        try await perform { connection throws(TPMFailure) in try connection.seal(secret) }
    }

    package func unseal(_ sealed: TPMKeyBlob) async throws(TPMFailure) -> Data {
        try await perform { connection throws(TPMFailure) in try connection.unseal(sealed) }
    }

    private func create(_ template: TPMPublicArea) async throws(TPMFailure) -> TPMKeyBlob {
        try await perform { connection throws(TPMFailure) in try connection.create(template) }
    }
}

extension TPMConnection {
    func create(_ template: TPMPublicArea, secret: Data = Data()) throws(TPMFailure) -> TPMKeyBlob {
        var answer = try run(
            TPMCommand(
                .create, handles: [try root()], authorizations: [.emptyPassword],
                parameters: TPMTemplate.creation(template, secret: secret))
        ).parameters
        let privateArea = try answer.buffer()
        return TPMKeyBlob(publicArea: try answer.buffer(), privateArea: privateArea)
    }

    func sign(
        _ digest: Data, with key: TPMKeyBlob, _ scheme: SignatureAlgorithm.Scheme, _ hash: SignatureAlgorithm.Hash
    ) throws(TPMFailure) -> Data {
        guard digest.count == hash.size else { throw .algorithm }
        let signature = try withLoaded(key) { handle throws(TPMFailure) in
            var writer = TPMWriter()
            writer.sized(digest)
            writer.integer(scheme.algorithm.rawValue)
            writer.integer(hash.algorithm.rawValue)
            // No ticket: the key is not restricted.
            writer.integer(UInt16(0x8024))
            writer.integer(TPMHierarchy.none)
            writer.sized(Data())
            var answer = try run(
                TPMCommand(.sign, handles: [handle], authorizations: [.emptyPassword], parameters: writer.data)
            ).parameters
            return try answer.rest()
        }
        guard let form = try? TPMSignature(decoding: signature).standardForm else { throw .malformed }
        return form
    }

    func seal(_ secret: Data) throws(TPMFailure) -> TPMKeyBlob {
        guard (1...128).contains(secret.count) else { throw .algorithm }
        return try create(TPMTemplate.sealed, secret: secret)
    }

    func unseal(_ sealed: TPMKeyBlob) throws(TPMFailure) -> Data {
        try withLoaded(sealed) { handle throws(TPMFailure) in
            var answer = try run(TPMCommand(.unseal, handles: [handle], authorizations: [.emptyPassword])).parameters
            return try answer.buffer()
        }
    }
}

extension TPMConnection {
    /// The storage root: the same key each time, as it follows from the chip's own seed.
    func root() throws(TPMFailure) -> UInt32 {
        if let storageRoot { return storageRoot }
        let root = try run(
            TPMCommand(
                .createPrimary, handles: [TPMHierarchy.owner], authorizations: [.emptyPassword],
                parameters: TPMTemplate.creation(TPMTemplate.storageRoot))
        ).handle
        storageRoot = root
        return root
    }

    /// Lends a key to `body` while it is in the chip.
    func withLoaded<Result>(
        _ key: TPMKeyBlob, _ body: (UInt32) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        var writer = TPMWriter()
        writer.sized(key.privateArea)
        writer.sized(key.publicArea)
        let handle = try run(
            TPMCommand(.load, handles: [try root()], authorizations: [.emptyPassword], parameters: writer.data)
        ).handle
        defer { flush(handle) }
        return try body(handle)
    }
}

extension TPMReader {
    mutating func buffer() throws(TPMFailure) -> Data {
        do { return try sized() } catch { throw .malformed }
    }

    mutating func rest() throws(TPMFailure) -> Data {
        do { return try octets(remaining) } catch { throw .malformed }
    }
}

extension SignatureAlgorithm.Scheme {
    fileprivate var algorithm: TPMAlgorithm {
        switch self {
        case .rsaPKCS1: .rsaPKCS1Signature
        case .rsaPSS: .rsaPSS
        case .ecdsa: .ecdsa
        }
    }
}

extension SignatureAlgorithm.Hash {
    fileprivate var algorithm: TPMAlgorithm {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
