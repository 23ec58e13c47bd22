package import Foundation

/// A chip with the key that shall vouch for others.
///
/// Before the attestation key is certified, the chip must bring back the secret of `challenge`: only it can.
package struct EndorsedChip: Sendable {
    package let endorsementKey: TPMPublicArea
    package let attestationKey: TPMPublicArea
    /// Whether a maker that is trusted vouches for the chip; without, it may be one of software.
    package let isVouchedFor: Bool

    /// Judges the maker's certificate and the properties of both keys.
    package init(
        certificates: [Data], endorsementKey: Data, attestationKey: Data, roots: [Data], now: Date
    ) throws(AttestationRefusal) {
        let maker = try VouchingChain(certificates, roots: roots, now: now)
        guard maker.isFor(.endorsementKeyUsage) else { throw .certificate }
        try self.init(
            endorsementKey: endorsementKey, attestationKey: attestationKey, vouchedFor: try maker.publicKeyInfo)
    }

    /// Judges the properties of both keys alone: that the chip is a chip, nobody says.
    package init(unvouched endorsementKey: Data, attestationKey: Data) throws(AttestationRefusal) {
        try self.init(endorsementKey: endorsementKey, attestationKey: attestationKey, vouchedFor: nil)
    }

    private init(
        endorsementKey: Data, attestationKey: Data, vouchedFor: Data?
    ) throws(AttestationRefusal) {
        guard let endorsement = try? TPMPublicArea(decoding: endorsementKey),
            let attestation = try? TPMPublicArea(decoding: attestationKey)
        else { throw .malformed }
        if let vouchedFor, endorsement.publicKeyInfo != vouchedFor { throw .otherKey }
        guard endorsement.publicKeyInfo != nil else { throw .key }
        guard endorsement.attributes.isSuperset(of: [.fixedTPM, .fixedParent, .restricted, .decrypt]),
            attestation.attributes.isSuperset(of: Self.attestationAttributes),
            attestation.attributes.isDisjoint(with: [.decrypt])
        else { throw .attributes }
        guard attestation.publicKeyInfo != nil else { throw .key }
        self.endorsementKey = endorsement
        self.attestationKey = attestation
        isVouchedFor = vouchedFor != nil
    }

    private static let attestationAttributes: TPMAttributes = [
        .fixedTPM, .fixedParent, .sensitiveDataOrigin, .restricted, .sign,
    ]

    /// Encrypts a secret that only this chip can open, and only while it holds this attestation key.
    package func challenge(_ secret: Data) throws(TPMCredentialRefusal) -> TPMCredential {
        try TPMCredential.make(secret, for: attestationKey.name, to: endorsementKey)
    }
}
