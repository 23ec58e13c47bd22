import ACME
import CertificateAuthority
package import Foundation

extension Management {
    /// The value as a device is to be given it: where this server's own authority issues, with a right made for this
    /// device and this version now, whose text goes into the document and is kept nowhere.
    ///
    /// The certificate is decided here; what the device asks for later does not count.
    func withRight(
        _ value: SecretValue, of kept: KeptSecret, for device: Device, _ variables: DeviceVariables
    ) async throws -> Outcome<SecretValue, CredentialRefusal> {
        let holder = IdentityHolder(secret: kept.name, version: kept.version, device: device.id)
        switch value {
        case .scep(var recipe) where recipe.authority == .own:
            guard let profile = IdentityProfile(recipe, for: variables) else { return .refused(.noValue) }
            guard (try? profile.check()) != nil else { return .refused(.unsuitable) }
            recipe.authority = .external(url: settings.baseURL + "/scep/identities")
            recipe.challenge = try await handOutChallenge(holder, profile)
            recipe.authorityFingerprint = settings.identityAuthorityFingerprint
            return .accepted(.scep(recipe))
        case .acme(var recipe) where recipe.authority == .own:
            guard let profile = IdentityProfile(recipe, for: variables) else { return .refused(.noValue) }
            guard (try? profile.check()) != nil else { return .refused(.unsuitable) }
            recipe.authority = .external(url: settings.baseURL + "/acme/directory")
            recipe.clientIdentifier = try await handOutClientIdentifier(
                holder, terms: ACMEGrant.Terms(attest: recipe.attest, profile: try JSONEncoder().encode(profile)))
            return .accepted(.acme(recipe))
        default: return .accepted(value)
        }
    }

    private func handOutChallenge(_ holder: IdentityHolder, _ profile: IdentityProfile) async throws -> String {
        let text = Base32.text(random(20))
        try await store.addSCEPChallenge(
            SCEPChallenge(digest: Self.digest(text), holder: holder, profile: profile, created: moment))
        return text
    }

    /// The device may order certificates by it until a newer version of the secret, and its first order takes it for the
    /// account that placed it.
    private func handOutClientIdentifier(_ holder: IdentityHolder, terms: ACMEGrant.Terms) async throws -> String {
        let text = Base32.text(random(20))
        try await store.addACMEGrant(
            ACMEGrant(
                digest: Self.digest(text), secret: holder.secret, version: holder.version, device: holder.device,
                terms: terms, created: moment))
        return text
    }

    // MARK: SCEP

    /// The challenge that a request carries, without using it.
    package func examine(
        challenge text: String, transactionID: String, publicKeyDigest: Data
    ) async throws -> Outcome<SCEPChallenge, ChallengeRefusal> {
        guard text.utf8.count == 32, (1...1_024).contains(transactionID.utf8.count),
            let challenge = try await store.scepChallenge(digest: Self.digest(text))
        else { return .refused(.unknown) }
        let refusal = challenge.refusal(ofKey: publicKeyDigest, now: moment)
        return refusal.map(Outcome.refused) ?? .accepted(challenge)
    }

    /// Uses a challenge for a certificate; what is answered may leave, be it this one or, to a request that comes again,
    /// the one before.
    package func issue(
        _ certificate: IssuedIdentity, for challenge: SCEPChallenge, transactionID: String, publicKeyDigest: Data
    ) async throws -> Outcome<IdentityCertificate, ChallengeRefusal> {
        try await store.issueIdentity(
            certificate, challenge: challenge.digest, transactionID: transactionID, publicKeyDigest: publicKeyDigest,
            now: moment)
    }
}
