import Foundation
import SwiftASN1
import X509

extension TPMStatement {
    func verify(nonce: Data, roots: [Data], now: Date) throws(AttestationRefusal) -> AttestedKey {
        let vouching = try VouchingChain(chain, roots: roots, now: now)
        guard vouching.isFor(.attestationKeyUsage) else { throw .certificate }
        guard let signature = try? TPMSignature(decoding: signature),
            let certified = try? TPMCertification(decoding: certification),
            let area = try? TPMPublicArea(decoding: publicArea)
        else { throw .malformed }
        guard signature.algorithm == algorithm else { throw .algorithm }
        guard signature.isValid(for: certification, publicKeyInfo: try vouching.publicKeyInfo) else {
            throw .signature
        }
        guard certified.keyName == area.name else { throw .otherKey }
        guard certified.qualifyingData == nonce, !nonce.isEmpty else { throw .stale }
        guard area.attributes.isSuperset(of: [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign]),
            area.attributes.isDisjoint(with: [.restricted])
        else { throw .attributes }
        guard let publicKeyInfo = area.publicKeyInfo else { throw .key }
        var facts = HardwareFacts()
        facts.firmwareVersion = certified.firmwareVersion
        return AttestedKey(
            format: .tpm, publicKeyInfo: publicKeyInfo,
            permanentIdentifier: PermanentIdentifier.read(vouching.value(of: .X509ExtensionID.subjectAlternativeName)),
            facts: facts)
    }
}

extension TPMSignature {
    /// The number COSE gives the algorithm, if it has one that is accepted.
    package var algorithm: Int64? {
        switch (value, hash) {
        case (.ecdsa, .sha256): -7
        case (.ecdsa, .sha384): -35
        case (.ecdsa, .sha512): -36
        case (.rsaPSS, .sha256): -37
        case (.rsaPSS, .sha384): -38
        case (.rsaPSS, .sha512): -39
        case (.rsaPKCS1, .sha256): -257
        case (.rsaPKCS1, .sha384): -258
        case (.rsaPKCS1, .sha512): -259
        }
    }
}
