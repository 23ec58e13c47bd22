import AdminMessages
import Hummingbird
import Management

/// Which app of a group finds which secret, and under what identifier.
struct SecretAssignmentRoutes: Sendable {
    private static let one = "/secret-assignments/{group}/{app}/{kind}/{identifier}"
    private static let `extension` = QueryParameter(
        name: "extension", schema: .string, summary: "The bundle identifier of the extension that alone gets it.")

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/secret-assignments", operation: "listSecretAssignments",
                summary: "The assignments of secrets.",
                query: QueryParameter.paging + [
                    QueryParameter(name: "group", schema: .string, summary: "Only this group's."),
                    QueryParameter(name: "app", schema: .string, summary: "Only this app's."),
                    QueryParameter(name: "secret", schema: .string, summary: "Only this secret's."),
                ], answer: .json(.page(of: "SecretAssignment")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showSecretAssignment",
                summary: "Which secret an app finds under an identifier.", query: [Self.extension],
                answer: .json(.named("SecretAssignment")), service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "assignSecret",
                summary: """
                    Let an app that is assigned to the group, or one extension of it, find a secret. The kind is what \
                    the app asks for: password, certificate or identity.
                    """,
                query: [
                    Self.extension,
                    QueryParameter(
                        name: "force", schema: .boolean,
                        summary: "Do so although the app's specification knows no such secret."),
                    QueryParameter(
                        name: "dryRun", schema: .boolean,
                        summary: "Only says whether the app's specification knows such a secret; false without it."),
                ], body: .json(.named("SecretAssignmentRequest")),
                answer: .json(.named("SecretAssignment")), service: .session(assign)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "unassignSecret",
                summary: "Take a secret from an app; from now on no device is given it there.",
                query: [Self.extension], status: .noContent, service: .session(unassign)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let filter = SecretAssignmentFilter(
            group: call.query("group"), app: call.query("app"), secret: call.query("secret"))
        return try AdminAnswer.page(
            await management.secretAssignments(filter, call.page()), AdminMessages.SecretAssignment.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let slot = try slot(of: call)
        guard let found = try await assignment(in: slot) else { throw HTTPProblem(.unknownSecretAssignment) }
        return try AdminAnswer.json(AdminMessages.SecretAssignment(found))
    }

    private func assign(_ call: AdminCall) async throws -> Response {
        let slot = try slot(of: call)
        let wish = try await call.json(SecretAssignmentRequest.self)
        if try call.flag("dryRun") {
            try await management.judgeSecret(in: slot).check()
            return try AdminAnswer.json(
                AdminMessages.SecretAssignment(
                    group: slot.group, app: slot.app, extension: slot.extension,
                    kind: AdminMessages.AppSecretKind(rawValue: slot.kind.rawValue), identifier: slot.identifier,
                    secret: wish.secret))
        }
        let assignment = try await management.assignSecret(
            wish.secret, to: slot, isForced: call.flag("force"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.SecretAssignment(assignment))
    }

    private func unassign(_ call: AdminCall) async throws -> Response {
        try await management.unassignSecret(from: slot(of: call), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }

    /// The place the path and the query name.
    private func slot(of call: AdminCall) throws(HTTPProblem) -> SecretSlot {
        guard let kind = AppSecretKindRecord(rawValue: try call.parameter("kind")) else {
            throw HTTPProblem(.notFound, "not-found", "An app asks for a password, a certificate or an identity.")
        }
        return SecretSlot(
            group: try call.parameter("group"), app: try call.parameter("app"), extension: call.query("extension"),
            kind: kind, identifier: try call.parameter("identifier"))
    }

    /// One app of one group has a few pages of them at most.
    private func assignment(in slot: SecretSlot) async throws -> SecretAssignmentRecord? {
        let filter = SecretAssignmentFilter(group: slot.group, app: slot.app)
        var cursor: String?
        repeat {
            let page = try await management.secretAssignments(
                filter, PageRequest(after: cursor, limit: PageRequest.largest))
            if let found = page.items.first(where: { $0.slot == slot }) { return found }
            cursor = page.next
        } while cursor != nil
        return nil
    }
}

extension AdminMessages.SecretAssignment {
    fileprivate init(_ record: SecretAssignmentRecord) {
        self.init(
            group: record.slot.group, app: record.slot.app, extension: record.slot.extension,
            kind: AdminMessages.AppSecretKind(rawValue: record.slot.kind.rawValue), identifier: record.slot.identifier,
            secret: record.secret)
    }
}
