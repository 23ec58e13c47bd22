import AdminMessages
import Hummingbird
import Management

/// API tokens: what programs show in the place of an administrator.
struct TokenRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/tokens", operation: "listTokens",
                summary: "Your API tokens without their text; everybody's for who may see what others do.",
                query: QueryParameter.paging, answer: .json(.page(of: "TokenSummary")), service: .session(list)),
            AdminRoute(
                method: .post, path: "/tokens", operation: "createToken",
                summary: "Make an API token that may do some of what you may. Its text is shown only once.",
                body: .json(.named("TokenRequest")), status: .created, answer: .json(.named("TokenAnswer")),
                service: .session(create)),
            AdminRoute(
                method: .delete, path: "/tokens/{id}", operation: "revokeToken",
                summary: "End an API token of yours, or anybody's for who manages administrators.", status: .noContent,
                service: .session(revoke)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.tokens(for: call.session, call.page())) { TokenSummary($0) }
    }

    private func create(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(TokenRequest.self)
        let rights = try AdministratorRoutes.rights(wish.role, wish.apps, wish.groups)
        let made = try await management.createToken(
            named: wish.name,
            scope: TokenScope(
                rights: rights, isReadOnly: wish.readOnly ?? false, administers: wish.administers ?? false),
            validSeconds: wish.validSeconds, of: call.session
        ).get()
        return try AdminAnswer.json(
            TokenAnswer(token: made.text, summary: TokenSummary(made.token)), status: .created)
    }

    private func revoke(_ call: AdminCall) async throws -> Response {
        try await management.revokeToken(id: call.parameter("id"), by: call.session).check()
        return AdminAnswer.nothing
    }
}

extension TokenSummary {
    fileprivate init(_ token: APIToken) {
        let rights = token.scope.rights
        let isLimited = rights.role == .appOwner
        self.init(
            id: token.id, name: token.name, administrator: token.administrator,
            role: AdministratorRole(rawValue: rights.role.rawValue), apps: isLimited ? rights.apps : nil,
            groups: isLimited ? rights.groups : nil, readOnly: token.scope.isReadOnly,
            administers: token.scope.administers, created: token.created, expires: token.expires,
            revoked: token.revoked, lastUsed: token.lastUsed)
    }
}
