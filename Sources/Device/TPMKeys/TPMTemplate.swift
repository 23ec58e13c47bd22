import Attestation
import Foundation

/// What the chip is asked to make.
enum TPMTemplate {
    private static let own: TPMAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .userWithAuth]

    /// A parent for all of ours, as the TCG's provisioning guidance has it on P-256.
    static let storageRoot = TPMPublicArea(
        attributes: own.union([.restricted, .decrypt, .noDictionaryAttack]),
        kind: .ecc(.init(symmetric: .init(bits: 128), scheme: nil, curve: .p256, x: Data(), y: Data())))

    static let attestationKey = TPMPublicArea(
        attributes: own.union([.restricted, .sign, .noDictionaryAttack]),
        kind: .ecc(.init(symmetric: nil, scheme: .init(.ecdsa, .sha256), curve: .p256, x: Data(), y: Data())))

    static let sealed = TPMPublicArea(
        attributes: [.fixedTPM, .fixedParent, .userWithAuth, .noDictionaryAttack], kind: .sealed(unique: Data()))

    static func signing(_ kind: TPMKeyKind) -> TPMPublicArea {
        TPMPublicArea(attributes: own.union([.sign, .noDictionaryAttack]), kind: kind.area)
    }

    /// The TCG's endorsement key of RSA-2048 (EK Credential Profile, template L-1), which every chip has.
    static let endorsementKey = TPMPublicArea(
        attributes: [
            .fixedTPM, .fixedParent, .sensitiveDataOrigin, .adminWithPolicy, .restricted, .decrypt,
        ],
        policy: endorsementPolicy,
        kind: .rsa(.init(symmetric: .init(bits: 128), scheme: nil, bits: 2048, modulus: Data(count: 256))))

    // PolicySecret of the endorsement hierarchy.
    private static let endorsementPolicy = Data([
        0x83, 0x71, 0x97, 0x67, 0x44, 0x84, 0xb3, 0xf8, 0x1a, 0x90, 0xcc, 0x8d, 0x46, 0xa5, 0xd7, 0x24,
        0xfd, 0x52, 0xd7, 0x6e, 0x06, 0x52, 0x0b, 0x64, 0xf2, 0xa1, 0xda, 0x1b, 0x33, 0x14, 0x69, 0xaa,
    ])

    /// The parameters of TPM2_Create and TPM2_CreatePrimary: no password, perhaps bytes to seal, no registers.
    static func creation(_ template: TPMPublicArea, secret: Data = Data()) -> Data {
        var sensitive = TPMWriter()
        sensitive.sized(Data())
        sensitive.sized(secret)
        var writer = TPMWriter()
        writer.sized(sensitive.data)
        writer.sized(template.encoded)
        writer.sized(Data())
        writer.integer(UInt32(0))
        return writer.data
    }
}

extension TPMKeyKind {
    fileprivate var area: TPMPublicArea.Kind {
        switch self {
        case .p256: .ecc(.init(symmetric: nil, scheme: nil, curve: .p256, x: Data(), y: Data()))
        case .p384: .ecc(.init(symmetric: nil, scheme: nil, curve: .p384, x: Data(), y: Data()))
        case .rsa2048: .rsa(.init(symmetric: nil, scheme: nil, bits: 2048, modulus: Data()))
        }
    }
}
