import Attestation
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management

extension DeviceRoutes {
    /// Asks a device's chip to prove that it holds the key that shall vouch for others.
    func attestationKey(_ request: Request, _ context: MartletContext) async throws -> Response {
        let (device, body) = try await signed(request, context)
        let wish = try AttestationKeyRequest(parsing: body)
        switch try await management.challengeChip(wish, of: device) {
        case .refused(let refusal): return refuse(refusal, device, context)
        case .accepted(let credential):
            let challenge = AttestationKeyChallenge(
                credential: credential.blob, encryptedSeed: credential.encryptedSeed)
            return Self.attestation(challenge.encoded())
        }
    }

    /// Certifies the key once the chip has brought the secret back.
    func attestationActivation(_ request: Request, _ context: MartletContext) async throws -> Response {
        try management.requireCertifying()
        let (device, body) = try await signed(request, context)
        let activation = try AttestationKeyActivation(parsing: body)
        switch try await management.activateAttestationKey(secret: activation.secret, of: device) {
        case .refused(let refusal): return refuse(refusal, device, context)
        case .accepted(let publicKeyInfo):
            let certificate = try attestationKeys.certify(publicKeyInfo, of: device.key)
            context.logger.info(
                "attestation key certified", metadata: ["enrollment": "\(LogText(peer: device.key).text)"])
            return Self.attestation(AttestationKeyCertificate(certificates: [certificate]).encoded())
        }
    }

    private func signed(
        _ request: Request, _ context: MartletContext
    ) async throws -> (device: DeviceContext, body: Data) {
        try authentication.requireCredential(request, context)
        let body = try await request.bytes(upTo: limits.attestationBytes)
        let signer = try await authentication.signer(of: request, context, body: body, enrollment: nil).fingerprint
        switch try await management.judge(signer: signer, showing: request.bearerToken) {
        case .accepted(let device): return (device, body)
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: nil)
        }
    }

    private func refuse(
        _ refusal: AttestationKeyRefusal, _ device: DeviceContext, _ context: MartletContext
    ) -> Response {
        traffic.countRefusal()
        context.logger.notice(
            "attestation key refused",
            metadata: ["rule": "\(refusal.rule)", "enrollment": "\(LogText(peer: device.key).text)"])
        let document = DeviceErrorDocument(
            code: "dev.martlet.attestation.\(refusal.code)", description: refusal.rule)
        return Response(
            status: .unprocessableContent, headers: [.contentType: MediaType.json],
            body: ResponseBody(data: document.encodedJSON()))
    }

    private static func attestation(_ document: Data) -> Response {
        Response(
            status: .ok, headers: [.contentType: MediaType.json, .cacheControl: "no-store"],
            body: ResponseBody(data: document))
    }
}
