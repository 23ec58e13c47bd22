import AdminMessages
import Foundation
import Hummingbird
import Management

/// People who may enroll a device of their own.
struct InvitationRoutes: Sendable {
    private static let one = "/people/{person}/invitation"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/invitations", operation: "listInvitations",
                summary: "Who is invited to enroll a device, by account and without the passwords.",
                query: QueryParameter.paging, answer: .json(.page(of: "InvitationSummary")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showInvitation",
                summary: "A person's invitation, without the password.", answer: .json(.named("InvitationSummary")),
                service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "invitePerson",
                summary: """
                    Invite a person to enroll one device of their own. It replaces an earlier invitation, unless \
                    `If-None-Match: *` says that there must be none. The password is \
                    shown only once. A role that may not give secrets cannot invite into a group that gives one.
                    """,
                body: .json(.named("InvitationRequest")), status: .created,
                answer: .json(.named("InvitationAnswer")), service: .session(invite)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "uninvitePerson", summary: "End a person's invitation.",
                status: .noContent, service: .session(uninvite)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.invitations(call.page()), InvitationSummary.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let invitation = try await management.invitation(of: call.parameter("person")) else {
            throw HTTPProblem(.unknownInvitation)
        }
        return try AdminAnswer.json(InvitationSummary(invitation))
    }

    private func invite(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(InvitationRequest.self)
        let outcome = try await management.invite(
            call.parameter("person"), account: wish.account, group: wish.group, validSeconds: wish.validSeconds,
            author: call.session.administrator, reachesSecrets: call.mayManage)
        return try answer(outcome.get())
    }

    private func answer(_ issued: IssuedInvitation) throws -> Response {
        try AdminAnswer.json(
            InvitationAnswer(
                person: issued.invitation.person, account: issued.invitation.account, password: issued.password,
                group: issued.invitation.group, expires: issued.invitation.expires), status: .created)
    }

    private func uninvite(_ call: AdminCall) async throws -> Response {
        try await management.removeInvitation(of: call.parameter("person"), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }
}

extension InvitationSummary {
    fileprivate init(_ invitation: Invitation) {
        self.init(
            person: invitation.person, account: invitation.account, group: invitation.group,
            created: invitation.created, expires: invitation.expires)
    }
}
