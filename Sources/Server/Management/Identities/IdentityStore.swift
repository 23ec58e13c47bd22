package import ACME
package import Foundation

/// Certificates of apps' identities, and the challenges by which SCEP issues them, as a store keeps them.
package protocol IdentityStore: Sendable {
    /// Keeps a challenge; of the unused ones of its device for its secret only the newest stay.
    func addSCEPChallenge(_ challenge: SCEPChallenge) async throws
    func scepChallenge(digest: Data) async throws -> SCEPChallenge?
    /// Uses a challenge and writes the certificate down, in one transaction, if the secret is assigned to the device in
    /// that version at that moment.
    ///
    /// A request that comes again is given the certificate it got before.
    func issueIdentity(
        _ certificate: IssuedIdentity, challenge: Data, transactionID: String, publicKeyDigest: Data, now: Date
    ) async throws -> Outcome<IdentityCertificate, ChallengeRefusal>

    func identityCertificate(fingerprint: Data) async throws -> IdentityCertificate?
    func identityCertificate(serial: String) async throws -> IdentityCertificate?
    /// Revokes once; a second time is refused.
    func revokeIdentity(fingerprint: Data, reason: Int, now: Date) async throws -> ACMEProblem?
    /// What a list of revoked certificates must name at a moment.
    func revokedIdentities(now: Date) async throws -> [IdentityCertificate]
}
