package import Foundation

/// What a TPM says of another key it holds (TPMS_ATTEST of TPM2_Certify).
package struct TPMCertification: Sendable, Hashable {
    /// What the one who asked gave along, so that the answer is no older than the question.
    package let qualifyingData: Data
    /// The name of the key that it is about.
    package let keyName: Data
    package let firmwareVersion: UInt64

    // TPM_GENERATED_VALUE: no restricted key signs foreign bytes that begin so.
    private static let magic: UInt32 = 0xff54_4347
    private static let attestCertify: UInt16 = 0x8017

    package init(decoding data: Data) throws(TPMMalformed) {
        var reader = try TPMReader(data)
        guard try reader.integer(UInt32.self) == Self.magic, try reader.integer(UInt16.self) == Self.attestCertify
        else { throw TPMMalformed() }
        _ = try reader.sized()  // who signed, as the signature says better
        qualifyingData = try reader.sized()
        _ = try reader.octets(17)  // clock, resets, restarts, whether the clock is safe
        firmwareVersion = try reader.integer()
        keyName = try reader.sized()
        _ = try reader.sized()
        try reader.finish()
    }
}

/// A signature as a TPM writes it (TPMT_SIGNATURE).
package struct TPMSignature: Sendable, Hashable {
    package let hash: TPMHash
    package let value: Value

    package enum Value: Sendable, Hashable {
        case rsaPKCS1(Data)
        case rsaPSS(Data)
        case ecdsa(r: Data, s: Data)
    }

    package init(decoding data: Data) throws(TPMMalformed) {
        var reader = try TPMReader(data)
        let algorithm = TPMAlgorithm(rawValue: try reader.integer())
        guard let hash = TPMHash(rawValue: try reader.integer()) else { throw TPMMalformed() }
        self.hash = hash
        switch algorithm {
        case .rsaPKCS1Signature: value = .rsaPKCS1(try reader.sized())
        case .rsaPSS: value = .rsaPSS(try reader.sized())
        case .ecdsa: value = .ecdsa(r: try reader.sized(), s: try reader.sized())
        default: throw TPMMalformed()
        }
        try reader.finish()
    }
}
