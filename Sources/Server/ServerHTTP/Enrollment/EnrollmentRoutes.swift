import CertificateAuthority
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management

/// How a device gets to know the server: the authority's certificate, and the profile that a code opens.
struct EnrollmentRoutes: Sendable {
    let management: Management
    let authority: Authority
    let attestationKeys: AttestationKeys
    let limits: ServerLimits
    let traffic: Traffic

    func add(to router: Router<MartletContext>) {
        router.get("/ca.pem") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file"],
                body: ResponseBody(data: Data(authority.certificatePEM.utf8)))
        }
        router.get("/enroll/{code}") { _, context in try await profile(context) }
        addAttestation(to: router)
    }

    /// The profile; the code stays unused until a certificate is asked for with it.
    private func profile(_ context: MartletContext) async throws -> Response {
        let code = context.parameters.get("code") ?? ""
        switch try await management.enrollmentProfile(code: code) {
        case .accepted(let profile):
            return Response(
                status: .ok, headers: [.contentType: MediaType.profile, .cacheControl: "no-store"],
                body: ResponseBody(data: profile.encoded()))
        case .refused(let refusal):
            traffic.countRefusal()
            context.logger.notice("enrollment refused", metadata: ["rule": "\(refusal.reason)"])
            return PagePolicy.sentence("\(refusal.reason) Ask for a new one.", status: .notFound)
        }
    }
}
