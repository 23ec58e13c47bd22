import Attestation
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management

/// What a chip is asked before its device is enrolled, or while its identity has expired: who has the code may ask.
extension EnrollmentRoutes {
    func addAttestation(to router: Router<MartletContext>) {
        router.post("/enroll/{code}/attestation/keys") { request, context in
            try await answering(context) { try await attestationKey(request, context) }
        }
        router.post("/enroll/{code}/attestation/activation") { request, context in
            try await answering(context) { try await attestationActivation(request, context) }
        }
    }

    private func attestationKey(_ request: Request, _ context: MartletContext) async throws -> Response {
        let wish = try AttestationKeyRequest(parsing: try await request.bytes(upTo: limits.attestationBytes))
        let code = context.parameters.get("code") ?? ""
        switch try await management.challengeChip(wish, underCode: code) {
        case .refused(let refusal): return refuse(refusal, context)
        case .accepted(let credential):
            let challenge = AttestationKeyChallenge(
                credential: credential.blob, encryptedSeed: credential.encryptedSeed)
            return Self.document(challenge.encoded())
        }
    }

    private func attestationActivation(_ request: Request, _ context: MartletContext) async throws -> Response {
        try management.requireCertifying()
        let activation = try AttestationKeyActivation(parsing: try await request.bytes(upTo: limits.attestationBytes))
        let code = context.parameters.get("code") ?? ""
        switch try await management.activateAttestationKey(secret: activation.secret, underCode: code) {
        case .refused(let refusal): return refuse(refusal, context)
        case .accepted(let proven):
            let certificate = try attestationKeys.certify(proven.publicKeyInfo, of: proven.name)
            context.logger.info("attestation key certified", metadata: ["for": "an enrollment code"])
            return Self.document(AttestationKeyCertificate(certificates: [certificate]).encoded())
        }
    }

    private func answering(_ context: MartletContext, _ serve: () async throws -> Response) async throws -> Response {
        do {
            return try await serve()
        } catch let refusal as InputRefusal {
            return refuse("dev.martlet.attestation.malformed", refusal.rule, .badRequest, context)
        }
    }

    private func refuse(_ refusal: AttestationKeyRefusal, _ context: MartletContext) -> Response {
        refuse("dev.martlet.attestation.\(refusal.code)", refusal.rule, .unprocessableContent, context)
    }

    private func refuse(
        _ code: String, _ rule: String, _ status: HTTPResponse.Status, _ context: MartletContext
    ) -> Response {
        traffic.countRefusal()
        context.logger.notice("attestation key refused", metadata: ["rule": "\(rule)"])
        let document = DeviceErrorDocument(code: code, description: rule)
        return Response(
            status: status, headers: [.contentType: MediaType.json], body: ResponseBody(data: document.encodedJSON()))
    }

    private static func document(_ bytes: Data) -> Response {
        Response(
            status: .ok, headers: [.contentType: MediaType.json, .cacheControl: "no-store"],
            body: ResponseBody(data: bytes))
    }
}
