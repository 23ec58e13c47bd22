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
    /// Revokes what the next devices hold of a secret that they do not have any more, where a change took it from more of
    /// them than it dealt with itself; answers the groups whose manifests have to be looked at anew, and nothing when
    /// nobody waits.
    func revokeLost(of place: LossPlace, limit: Int, now: Date) async throws -> [String]?
    /// What a list of revoked certificates must name at a moment.
    func revokedIdentities(now: Date) async throws -> [RevokedIdentity]
}

/// The losses to look for: all, those of one secret, or those of the secrets that are assigned to one app.
package struct LossPlace: Sendable {
    package let secret: String?
    package let app: String?

    private init(secret: String? = nil, app: String? = nil) {
        self.secret = secret
        self.app = app
    }

    package static let anywhere = LossPlace()
    package static func secret(_ name: String) -> LossPlace { LossPlace(secret: name) }
    package static func app(_ identifier: String) -> LossPlace { LossPlace(app: identifier) }
}
