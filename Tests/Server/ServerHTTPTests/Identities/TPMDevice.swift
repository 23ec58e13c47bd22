import ACME
import Attestation
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import Management
import Signatures
import SoftwareTPM
import SwiftASN1
import TPMKeys
import Testing

/// A played device with a chip.
struct TPMDevice: Sendable {
    let device: PlayedDevice
    let tpm: TPM
    let attestationKey: TPMKeyBlob

    init(_ device: PlayedDevice, _ chip: SoftwareTPM) async throws {
        self.device = device
        tpm = chip.connect()
        attestationKey = try await tpm.createAttestationKey()
    }

    // MARK: The attestation key

    func post(_ path: String, _ body: Data) async throws -> Answer {
        try await device.client.send(
            "POST", device.server.baseURL + path,
            headers: ["Mdm-Signature": device.sign(body), "Content-Type": "application/json"], body: body)
    }

    /// Asks for the chip to be asked; `issuer` stands above the chip's own certificate.
    func ask(issuer: Data? = nil) async throws -> Answer {
        let endorsement = try await tpm.endorsement()
        let certificates = issuer.map { [endorsement.certificate ?? Data(), $0] } ?? []
        return try await post(
            AttestationKeyRequest.path,
            AttestationKeyRequest(
                endorsementCertificates: certificates, endorsementKey: endorsement.publicArea,
                attestationKey: attestationKey.publicArea
            ).encoded())
    }

    /// The secret that the chip opens.
    func secret(of answer: Answer) async throws -> Data {
        try #require(answer.status == 200, "\(answer.text)")
        let challenge = try AttestationKeyChallenge(parsing: answer.body)
        return try await tpm.activate(
            TPMCredential(blob: challenge.credential, encryptedSeed: challenge.encryptedSeed),
            attestationKey: attestationKey)
    }

    func activate(_ secret: Data) async throws -> Answer {
        try await post(AttestationKeyActivation.path, AttestationKeyActivation(secret: secret).encoded())
    }

    /// The certificate of the attestation key.
    func certificate(issuer: Data? = nil) async throws -> Data {
        let answer = try await activate(await secret(of: await ask(issuer: issuer)))
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(AttestationKeyCertificate(parsing: answer.body).certificates.first)
    }

    // MARK: Attested keys

    /// What the chip says of a key, as it is posted to a challenge.
    func statement(
        _ key: TPMKeyBlob, certificate: Data, nonce: Data, showing shown: TPMKeyBlob? = nil
    ) async throws -> Data {
        let said = try await tpm.certify(key, by: attestationKey, nonce: nonce)
        return AttestationStatement.tpm(
            TPMStatement(
                chain: [certificate], algorithm: -7, signature: said.signature, certification: said.certification,
                publicArea: (shown ?? key).publicArea)
        ).encoded
    }

    /// A certificate request (PKCS #10) that the chip signs.
    func request(_ key: TPMKeyBlob) async throws -> Data {
        let publicKeyInfo = try #require(key.publicKeyInfo)
        var body = DER.Serializer()
        body.appendConstructedNode(identifier: .sequence) { fields in
            fields.appendPrimitiveNode(identifier: .integer) { $0.append(0) }
            fields.appendConstructedNode(identifier: .sequence) { _ in }
            fields.serializeRawBytes(publicKeyInfo)
            fields.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) { _ in }
        }
        let digest = Data(SHA256.hash(data: body.serializedBytes))
        let signature = try await tpm.sign(digest, with: key, .ecdsa, .sha256)
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { fields in
            fields.serializeRawBytes(body.serializedBytes)
            try fields.appendConstructedNode(identifier: .sequence) {
                try $0.serialize([1, 2, 840, 10045, 4, 3, 2] as ASN1ObjectIdentifier)
            }
            try fields.serialize(ASN1BitString(bytes: [UInt8](signature)[...]))
        }
        return Data(whole.serializedBytes)
    }
}
