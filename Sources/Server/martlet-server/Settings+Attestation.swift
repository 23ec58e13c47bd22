import Foundation
import Management
import NIOSSL

extension Settings {
    /// The makers whose chips may attest keys.
    func endorsement() throws -> EndorsementTrust {
        EndorsementTrust(
            roots: try Self.certificates(endorsementRoots, "--endorsement-roots"),
            pinsFirstChip: pinEndorsementKeys)
    }

    func appleRoots() throws -> [Data] {
        try Self.certificates(appleAttestationRoots, "--apple-attestation-roots")
    }

    private static func certificates(_ path: String?, _ option: String) throws -> [Data] {
        guard let path else { return [] }
        return try NamedFile(path, option).certificates().map { Data(try $0.toDERBytes()) }
    }
}
