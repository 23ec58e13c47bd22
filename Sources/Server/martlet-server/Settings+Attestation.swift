import Foundation
import Management
import NIOSSL

extension Settings {
    /// The makers whose chips may attest keys.
    func endorsement() throws -> EndorsementTrust {
        EndorsementTrust(
            roots: try Self.certificates(endorsementRoots, rule: "the endorsement roots are certificates in PEM"),
            pinsFirstChip: pinEndorsementKeys)
    }

    func appleRoots() throws -> [Data] {
        try Self.certificates(appleAttestationRoots, rule: "the roots of Apple's attestations are certificates in PEM")
    }

    private static func certificates(_ path: String?, rule: String) throws -> [Data] {
        guard let path else { return [] }
        guard let found = try? NIOSSLCertificate.fromPEMFile(path), !found.isEmpty else { throw Refusal(rule: rule) }
        return try found.map { Data(try $0.toDERBytes()) }
    }
}
