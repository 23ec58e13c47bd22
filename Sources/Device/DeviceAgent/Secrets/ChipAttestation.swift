import Attestation
import CryptographicMessages
import DeviceMessages
package import Foundation
import InputBounds
import SwiftASN1
package import TPMKeys
import X509

/// The key with which the device's chip vouches for others, as the device remembers it.
package struct AttestationKey: Codable, Equatable, Sendable {
    package let key: TPMKeyBlob

    /// In DER, the key's own first.
    package let certificates: [Data]

    /// At two thirds of the certificate's life a new one is asked for.
    package let renewal: Date
    package let expires: Date
}

/// Has the device's chip vouch for keys in it, in words that certificate authorities read.
///
/// The server certifies the chip's attestation key once the chip has proven that it holds it; which chip that is, and
/// whose, is for the server to judge.
package struct ChipAttestation: Sendable {
    private let tpm: TPM
    private let device: Device
    private let connection: ServerConnection
    private let server: String
    private let right: String?
    private let now: @Sendable () -> Date

    /// Asks the server at the origin of `server`, over a connection that shows the device's identity; or, with `right`, under
    /// that right to an identity, for this one time.
    package init(
        _ tpm: TPM, device: Device, connection: ServerConnection, server: String, right: String? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.tpm = tpm
        self.device = device
        self.connection = connection
        self.server = server
        self.right = right
        self.now = now
    }

    /// The statement that `key` lies in the chip, in answer to a question that was just asked.
    func statement(
        for key: StoredKey, token: String, keyAuthorization: String
    ) async throws -> Data {
        guard let blob = ChipKeys.blob(key) else { throw KeyRefusal.kind }
        return try await statement(about: blob, token: token, keyAuthorization: keyAuthorization)
    }

    func statement(about blob: TPMKeyBlob, token: String, keyAuthorization: String) async throws -> Data {
        let question = AttestationQuestion(token: token, keyAuthorization: keyAuthorization)
        do {
            return try await statement(about: blob, question)
        } catch TPMFailure.refused where device.known.attestationKey != nil {
            // The chip was cleared since: what it made before is nothing to it.
            try device.change { $0.attestationKey = nil }
            return try await statement(about: blob, question)
        }
    }

    private func statement(about blob: TPMKeyBlob, _ question: AttestationQuestion) async throws -> Data {
        let attestationKey = try await attestationKey()
        let said = try await tpm.certify(blob, by: attestationKey.key, nonce: question.nonce(for: .tpm))
        // ECDSA with SHA-256, as COSE numbers it: attestation keys are made on P-256.
        let statement = TPMStatement(
            chain: attestationKey.certificates, algorithm: -7, signature: said.signature,
            certification: said.certification, publicArea: blob.publicArea)
        return AttestationStatement.tpm(statement).encoded
    }

    private func attestationKey() async throws -> AttestationKey {
        let moment = now()
        let known = device.known.attestationKey
        guard right == nil else { return try await certified(known?.key) }
        if let known, moment < known.renewal { return known }
        do {
            let new = try await certified(known?.key)
            try device.change { $0.attestationKey = new }
            return new
        } catch {
            // One that is good a while longer serves; a chip that was cleared would not let it.
            if let known, moment < known.expires, error is ServerSilence { return known }
            throw error
        }
    }

    /// Has the server certify the key, a new one if there is none that the chip still takes.
    private func certified(_ known: TPMKeyBlob?) async throws -> AttestationKey {
        let endorsement = try await tpm.endorsement()
        let key: TPMKeyBlob
        if let known { key = known } else { key = try await tpm.createAttestationKey() }
        let request = AttestationKeyRequest(
            endorsementCertificates: endorsement.certificate.map { [$0] } ?? [],
            endorsementKey: endorsement.publicArea, attestationKey: key.publicArea)
        let challenge = try AttestationKeyChallenge(parsing: await post(AttestationKeyRequest.path, request.encoded()))
        let credential = TPMCredential(blob: challenge.credential, encryptedSeed: challenge.encryptedSeed)
        let activation = AttestationKeyActivation(secret: try await tpm.activate(credential, attestationKey: key))
        let answer = try AttestationKeyCertificate(
            parsing: await post(AttestationKeyActivation.path, activation.encoded()))
        guard let der = answer.certificates.first, let leaf = try? Certificate(derEncoded: Array(der)),
            let own = key.publicKeyInfo, leaf.publicKey == (try? Certificate.PublicKey(derEncoded: Array(own)))
        else { throw ChipRefusal.certificate }
        let life = leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore)
        return AttestationKey(
            key: key, certificates: answer.certificates, renewal: leaf.notValidBefore + life * 2 / 3,
            expires: leaf.notValidAfter)
    }

    private func post(_ path: String, _ body: Data) async throws -> Data {
        guard var address = URLComponents(string: server) else { throw ChipRefusal.notCertified }
        // The path of enrolled devices begins with /mdm.
        address.path = right.map { "/enroll/\($0)" + path.dropFirst("/mdm".count) } ?? path
        address.query = nil
        let reply = try await connection.send(
            "POST", address.string ?? "", contentType: MediaType.json, body: body,
            answerLimit: InputLimits.credential.bytes)
        guard Busy(reply) == nil else { throw ChipRefusal.busy }
        guard reply.status == 200 else { throw ChipRefusal.notCertified }
        return reply.body
    }
}

/// Why the chip's word is worth nothing to others yet.
package enum ChipRefusal: Error, Equatable {
    /// The server does not certify this chip's attestation key.
    case notCertified
    /// The server certified another key.
    case certificate
    case busy
}
