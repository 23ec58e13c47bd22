import AdminMessages
import Foundation
import Hummingbird
import Management

/// By what Apple devices are woken.
struct PushCredentialRoutes: Sendable {
    let management: Management
    let now: @Sendable () -> Date

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/push-credential", operation: "showPushCredential",
                summary: "The credential that wakes Apple devices, when it ends, and how many devices it reaches.",
                answer: .json(.named("PushCredential")), moreRefusals: [.notFound], service: .session(show)),
            AdminRoute(
                method: .put, path: "/push-credential", operation: "setPushCredential",
                summary:
                    "Upload the MDM push certificate with its key, or a key for provider tokens. New profiles name its topic.",
                body: .json(.named("PushCredentialRequest")), answer: .json(.named("PushCredential")),
                service: .session(set)),
            AdminRoute(
                method: .delete, path: "/push-credential", operation: "removePushCredential",
                summary: "Remove it. Apple devices are no longer woken and connect only by themselves.",
                status: .noContent, moreRefusals: [.notFound], service: .session(remove)),
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let record = try await management.pushCredential() else { throw HTTPProblem(.unknownPushCredential) }
        return try AdminAnswer.json(AdminMessages.PushCredential(record))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let request = try await call.json(PushCredentialRequest.self)
        let record = try await management.setPushCredential(
            setup(request), replacesTopic: request.replaceTopic ?? false, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.PushCredential(record))
    }

    private func setup(_ request: PushCredentialRequest) throws -> PushSetup {
        do throws(AdminRefusal) {
            if let certificate = request.certificate {
                guard request.keyID == nil, request.teamID == nil, request.topic == nil else {
                    throw .invalid(rule: "A certificate names its topic itself: keyID, teamID and topic go with a key.")
                }
                return try PushSetup(certificate: certificate, key: request.key, now: now())
            }
            guard let keyID = request.keyID, let teamID = request.teamID, let topic = request.topic else {
                throw .invalid(rule: "Send certificate and key, or key with keyID, teamID and topic.")
            }
            return try PushSetup(tokenKey: request.key, keyID: keyID, teamID: teamID, topic: topic)
        } catch {
            throw HTTPProblem(error)
        }
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removePushCredential(author: call.session.administrator).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.PushCredential {
    init(_ record: PushCredentialRecord) {
        self.init(
            kind: record.isCertificate ? .certificate : .token, topic: record.topic, expires: record.expires,
            author: record.author, uploaded: record.uploaded, reachable: record.counts.reachable,
            retired: record.counts.retired)
    }
}
