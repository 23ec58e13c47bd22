package import Foundation

/// A chip whose maker vouches for it, with the key that shall vouch for others.
///
/// Before the attestation key is certified, the chip must bring back the secret of `challenge`: only it can.
package struct EndorsedChip: Sendable {
    package let endorsementKey: TPMPublicArea
    package let attestationKey: TPMPublicArea

    /// Judges the maker's certificate and the properties of both keys.
    package init(
        certificates: [Data], endorsementKey: Data, attestationKey: Data, roots: [Data], now: Date
    ) throws(AttestationRefusal) {
        let maker = try VouchingChain(certificates, roots: roots, now: now)
        guard maker.isFor(.endorsementKeyUsage) else { throw .certificate }
        guard let endorsement = try? TPMPublicArea(decoding: endorsementKey),
            let attestation = try? TPMPublicArea(decoding: attestationKey)
        else { throw .malformed }
        guard endorsement.publicKeyInfo == (try maker.publicKeyInfo) else { throw .otherKey }
        guard endorsement.attributes.isSuperset(of: [.fixedTPM, .fixedParent, .restricted, .decrypt]),
            attestation.attributes.isSuperset(of: Self.attestationAttributes),
            attestation.attributes.isDisjoint(with: [.decrypt])
        else { throw .attributes }
        guard attestation.publicKeyInfo != nil else { throw .key }
        self.endorsementKey = endorsement
        self.attestationKey = attestation
    }

    private static let attestationAttributes: TPMAttributes = [
        .fixedTPM, .fixedParent, .sensitiveDataOrigin, .restricted, .sign,
    ]

    /// Encrypts a secret that only this chip can open, and only while it holds this attestation key.
    package func challenge(_ secret: Data) throws(TPMCredentialRefusal) -> TPMCredential {
        try TPMCredential.make(secret, for: attestationKey.name, to: endorsementKey)
    }
}
