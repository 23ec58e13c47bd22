import AdminMessages
import HTTPTypes
import Hummingbird
import Logging
import Management

/// Logging in and out, and the password.
struct SessionRoutes: Sendable {
    let management: Management
    let limits: ServerLimits

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .post, path: "/session", operation: "logIn", summary: "Log in.",
                body: .json(.named("SessionRequest")), answer: .json(.named("SessionAnswer")),
                moreRefusals: [.unauthorized, .tooManyRequests], service: .open(logIn)),
            AdminRoute(
                method: .get, path: "/session", operation: "showSession", summary: "Who is logged in, until when.",
                answer: .json(.named("SessionDetail")), service: .session(show)),
            AdminRoute(
                method: .delete, path: "/sessions", operation: "logOutElsewhere",
                summary: "End the administrator's other sessions, wherever they were opened.", status: .noContent,
                service: .anySession(logOutElsewhere)),
            AdminRoute(
                method: .delete, path: "/session", operation: "logOut", summary: "End this session.",
                status: .noContent, service: .anySession(logOut)),
            AdminRoute(
                method: .put, path: "/session/password", operation: "changePassword",
                summary: "Change the password; every other session of the administrator ends.",
                body: .json(.named("PasswordChange")), status: .noContent,
                moreRefusals: [.tooManyRequests], service: .anySession(changePassword)),
        ]
    }

    private func logIn(_ request: Request, _ context: MartletContext) async throws -> Response {
        let wish = try await AdminBody.json(
            SessionRequest.self, of: request, as: .named("SessionRequest"), upTo: limits.signInBytes)
        let address = PeerAddress.text(of: context.channel.remoteAddress)
        let outcome = try await management.logIn(
            name: wish.name, password: wish.password, from: address, browser: context.knownBrowser)
        switch outcome {
        case .accepted(let opened):
            if opened.isInterim {
                context.logger.warning(
                    "signed in for an hour at most: the disk of the database is full, the session is in memory alone",
                    metadata: ["administrator": "\(opened.session.administrator)", "from": "\(address ?? "")"])
            }
            return try AdminAnswer.json(
                SessionAnswer(
                    token: opened.token, expires: opened.session.expires,
                    mustChangePassword: opened.session.mustChangePassword))
        case .refused(let refusal):
            context.logger.notice(
                "log-in refused", metadata: ["rule": "\(refusal.reason)", "from": "\(address ?? "")"])
            throw HTTPProblem(refusal.status, refusal.code, refusal.reason, headers: refusal.headers)
        }
    }

    private func logOut(_ call: AdminCall) async throws -> Response {
        try await management.logOut(token: call.token)
        return AdminAnswer.nothing
    }

    private func logOutElsewhere(_ call: AdminCall) async throws -> Response {
        try await management.logOutElsewhere(token: call.token, session: call.session)
        return AdminAnswer.nothing
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let rights = call.session.rights
        return try AdminAnswer.json(
            SessionDetail(
                name: call.session.administrator, role: AdministratorRole(rawValue: rights.role.rawValue),
                apps: rights.role == .appOwner ? rights.apps : nil,
                groups: rights.role == .appOwner ? rights.groups : nil,
                permissions: rights.permissions.map { AdministratorPermission(rawValue: $0.rawValue) },
                expires: call.session.expires))
    }

    private func changePassword(_ call: AdminCall) async throws -> Response {
        let change = try await call.json(PasswordChange.self)
        let refusal = try await management.changePassword(
            token: call.token, session: call.session, old: change.old, new: change.new)
        switch refusal {
        case nil: return AdminAnswer.nothing
        case .throttled(let seconds):
            throw HTTPProblem(
                .tooManyRequests, "throttled", refusal?.reason ?? "", headers: [.retryAfter: "\(seconds)"])
        case .wrongOldPassword: throw HTTPProblem(.forbidden, "wrong-password", "The old password is wrong.")
        case .unsuitable(let rule): throw HTTPProblem(.unprocessableContent, "unsuitable-password", rule)
        }
    }
}

extension LogInRefusal {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .wrongNameOrPassword: .unauthorized
        case .throttled: .tooManyRequests
        }
    }

    fileprivate var code: String {
        switch self {
        case .wrongNameOrPassword: "wrong-name-or-password"
        case .throttled: "throttled"
        }
    }

    fileprivate var headers: HTTPFields {
        switch self {
        case .wrongNameOrPassword: [.wwwAuthenticate: "Bearer realm=\"martlet\""]
        case .throttled(let seconds): [.retryAfter: "\(seconds)"]
        }
    }
}
