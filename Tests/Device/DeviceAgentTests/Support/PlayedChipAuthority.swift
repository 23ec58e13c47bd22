import Attestation
import CertificateAuthority
import DeviceMessages
import Foundation
import Synchronization

/// The played server as it certifies the keys with which chips vouch for others, by the real server's rules.
final class PlayedChipAuthority: Sendable {
    private let maker: (issuer: Data, root: Data)
    private let open = Mutex<(chip: EndorsedChip, secret: Data)?>(nil)
    private let certified = Mutex(0)

    /// Trusts chips of one maker.
    init(maker: (issuer: Data, root: Data)) { self.maker = maker }

    /// How many keys were certified.
    var count: Int { certified.withLock { $0 } }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        do {
            switch request.path {
            case AttestationKeyRequest.path: return try challenge(AttestationKeyRequest(parsing: request.body))
            case AttestationKeyActivation.path: return try certify(AttestationKeyActivation(parsing: request.body))
            default: return .reply(404)
            }
        } catch {
            return .reply(422)
        }
    }

    private func challenge(_ wish: AttestationKeyRequest) throws -> ScriptedServer.Answer {
        let chip = try EndorsedChip(
            certificates: wish.endorsementCertificates + [maker.issuer], endorsementKey: wish.endorsementKey,
            attestationKey: wish.attestationKey, roots: [maker.root], now: Date() + 60)
        let secret = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        open.withLock { $0 = (chip, secret) }
        let challenge = try chip.challenge(secret)
        let answer = AttestationKeyChallenge(credential: challenge.blob, encryptedSeed: challenge.encryptedSeed)
        return .reply(200, body: answer.encoded())
    }

    private func certify(_ activation: AttestationKeyActivation) throws -> ScriptedServer.Answer {
        let waiting = open.withLock { open in
            defer { open = nil }
            return open
        }
        guard let waiting, waiting.secret == activation.secret, let key = waiting.chip.attestationKey.publicKeyInfo
        else { return .reply(422) }
        certified.withLock { $0 += 1 }
        let authority = try ScriptedServer.authority.get()
        let leaf = try authority.issueAttestationKey(
            publicKeyDER: key, permanentIdentifier: "device", now: Date(), validity: 90 * 86_400)
        return .reply(200, body: AttestationKeyCertificate(certificates: [leaf]).encoded())
    }
}
