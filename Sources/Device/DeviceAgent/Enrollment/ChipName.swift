import Attestation
import Crypto
import Foundation
package import TPMKeys

/// The name that distinguishes a chip from all others.
package enum ChipName {
    /// The SHA-256 of its endorsement key (SubjectPublicKeyInfo), in hexadecimal digits.
    package static func of(_ tpm: TPM) async throws -> String {
        let area = try TPMPublicArea(decoding: try await tpm.endorsement().publicArea)
        guard let info = area.publicKeyInfo else { throw KeyRefusal.kind }
        return Data(SHA256.hash(data: info)).hexadecimal
    }
}
