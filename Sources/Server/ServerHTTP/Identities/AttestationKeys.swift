import CertificateAuthority
import Foundation
import Management

/// Certifies the keys by which chips vouch for others.
struct AttestationKeys: Sendable {
    /// A device whose enrollment ended can order nothing; its attestation key is believed no longer than this.
    private static let validity: TimeInterval = 90 * 86_400

    let authority: Authority
    let now: @Sendable () -> Date

    /// The key must have been proven to be in the chip of the device.
    func certify(_ publicKeyInfo: Data, of device: String) throws -> Data {
        try authority.issueAttestationKey(
            publicKeyDER: publicKeyInfo, permanentIdentifier: device, now: now(), validity: Self.validity)
    }
}
