import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore

/// How a device gets to know the server: the authority's certificate, and the profile that a code opens.
struct EnrollmentRoutes: Sendable {
    let management: Management
    let authority: Authority
    let baseURL: String
    let organization: String
    let traffic: Traffic

    func add(to router: Router<MartletContext>) {
        router.get("/ca.pem") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file"],
                body: ResponseBody(data: Data(authority.certificatePEM.utf8)))
        }
        router.get("/enroll/{code}") { _, context in try await profile(context) }
    }

    /// The profile; the code stays unused until a certificate is asked for with it.
    private func profile(_ context: MartletContext) async throws -> Response {
        let code = context.parameters.get("code") ?? ""
        if case .refused(let refusal) = try await management.examine(code: code) {
            traffic.countRefusal()
            context.logger.notice("enrollment refused", metadata: ["rule": "\(refusal.reason)"])
            return Response(
                status: .notFound, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(refusal.reason) Ask for a new one.\n")))
        }
        return Response(
            status: .ok, headers: [.contentType: MediaType.profile, .cacheControl: "no-store"],
            body: ResponseBody(data: profile(code: code).encoded()))
    }

    private func profile(code: String) -> EnrollmentProfile {
        let installation = installation
        return EnrollmentProfile(
            identifier: "dev.martlet.enrollment.\(installation.uuidString.lowercased())", uuid: installation,
            displayName: "\(organization): device management", organization: organization,
            roots: [authority.certificateDER],
            scep: SCEPPayload(
                url: "\(baseURL)/scep", name: "martlet", subject: [[["O", organization]], [["CN", "device"]]],
                challenge: code, caFingerprint: authority.fingerprint),
            mdm: MDMPayload(
                serverURL: "\(baseURL)/mdm/command", checkInURL: "\(baseURL)/mdm/checkin",
                topic: "com.apple.mgmt.External.\(installation.uuidString.lowercased())"),
            wakeURL: "\(baseURL)/mdm/wake")
    }

    /// Names this installation by its authority, so that the topic survives restarts and never has to be stored.
    private var installation: UUID {
        var bytes = Array(SHA256.hash(data: Data("martlet installation".utf8) + authority.fingerprint).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
