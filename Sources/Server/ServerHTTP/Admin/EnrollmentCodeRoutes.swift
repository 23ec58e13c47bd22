import AdminMessages
import Foundation
import Hummingbird
import Management

/// What administrators hand to those who enroll.
struct EnrollmentLinks: Sendable {
    /// Without a slash at the end.
    let baseURL: String
    /// SHA-256 of the authority's certificate, in hexadecimal.
    let authorityFingerprint: String

    func enrollmentURL(of code: String) -> String { "\(baseURL)/enroll/\(code)" }
}

/// Enrollment codes.
struct EnrollmentCodeRoutes: Sendable {
    let management: Management
    let links: EnrollmentLinks

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/enrollment-codes", operation: "listEnrollmentCodes",
                summary: "The codes, without their text.", query: QueryParameter.paging,
                answer: .json(.page(of: "EnrollmentCodeSummary")), service: .session(list)),
            AdminRoute(
                method: .post, path: "/enrollment-codes", operation: "createEnrollmentCode",
                summary: """
                    Make a code with which one device may enroll; its text is shown only once. With “replaces” only that \
                    device can use it, and its present enrollment ends then. A role that may not give secrets cannot \
                    make a code for a group that gives one, nor one that replaces.
                    """,
                body: .json(.named("EnrollmentCodeRequest")), status: .created,
                answer: .json(.named("EnrollmentCodeAnswer")), service: .session(create)),
            AdminRoute(
                method: .delete, path: "/enrollment-codes/{id}", operation: "revokeEnrollmentCode",
                summary: "Revoke a code.", status: .noContent, service: .session(revoke)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let now = Date()
        return try AdminAnswer.page(await management.enrollmentCodes(call.page())) { record in
            EnrollmentCodeSummary(
                id: record.id, group: record.group, state: record.word(now: now), created: record.created,
                expires: record.expires, ownership: AdminMessages.Ownership(rawValue: record.ownership.rawValue),
                supervised: record.supervised, allowLegacyCryptography: record.allowLegacyCryptography,
                replaces: record.replaces)
        }
    }

    private func create(_ call: AdminCall) async throws -> Response {
        let wish = try await wish(call)
        let outcome = try await management.createEnrollmentCode(wish, author: call.session.administrator)
        return try answer(outcome.get())
    }

    // Never inlined: the optimizer of Swift 6.3.1 ends with a signal when it splits the two as one coroutine.
    @inline(never)
    private func wish(_ call: AdminCall) async throws -> CodeWish {
        var wish = try CodeWish(await call.json(AdminMessages.EnrollmentCodeRequest.self))
        // It ends the enrollment of a device, which is not for everybody who lets devices in.
        guard wish.replaces == nil || call.mayManage else { throw HTTPProblem.notAllowed(call.session.rights) }
        wish.reachesSecrets = call.mayManage
        return wish
    }

    private func answer(_ issued: IssuedEnrollmentCode) throws -> Response {
        try AdminAnswer.json(
            EnrollmentCodeAnswer(
                id: issued.code.id, code: issued.text, enrollmentURL: links.enrollmentURL(of: issued.text),
                expires: issued.code.expires, group: issued.code.group,
                authorityFingerprint: links.authorityFingerprint), status: .created)
    }

    private func revoke(_ call: AdminCall) async throws -> Response {
        try await management.revokeEnrollmentCode(
            id: call.parameter("id"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }
}

extension CodeWish {
    /// What the administrator asked for; what is left out is as the rules have it.
    fileprivate init(_ request: AdminMessages.EnrollmentCodeRequest) throws(HTTPProblem) {
        self.init(group: request.group)
        if let seconds = request.validSeconds { validSeconds = seconds }
        if let word = request.ownership {
            guard let ownership = OwnershipRecord(rawValue: word.rawValue) else {
                throw HTTPProblem(
                    .unprocessableContent, "invalid", "A device's ownership is “organization” or “personal”.")
            }
            self.ownership = ownership
        }
        supervised = request.supervised ?? false
        allowLegacyCryptography = request.allowLegacyCryptography ?? false
        replaces = request.replaces
    }
}

extension CodeRecord {
    fileprivate func word(now: Date) -> EnrollmentCodeState {
        // A redeemed code may still be used again, by the same request alone.
        switch state {
        case .revoked: .revoked
        case .spent: .used
        case .unused, .redeemed: now < expires ? .open : .expired
        }
    }
}
