import AdminMessages
import Hummingbird
import Management

/// The administrators and their rights.
struct AdministratorRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/administrators", operation: "listAdministrators",
                summary: "The administrators, by name.", query: QueryParameter.cutting,
                answer: .json(.page(of: "Administrator")),
                service: .session(list)),
            AdminRoute(
                method: .post, path: "/administrators", operation: "createAdministrator",
                summary: "Add an administrator; the one-time password is shown only once.",
                body: .json(.named("AdministratorRequest")), status: .created,
                answer: .json(.named("AdministratorPassword")), service: .session(create)),
            AdminRoute(
                method: .get, path: "/administrators/{administrator}", operation: "showAdministrator",
                summary: "One administrator.", answer: .json(.named("Administrator")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/administrators/{administrator}", operation: "setAdministrator",
                summary: "Change what an administrator may do, from now on and in open sessions.",
                body: .json(.named("RightsRequest")), answer: .json(.named("Administrator")), service: .session(set)),
            AdminRoute(
                method: .delete, path: "/administrators/{administrator}", operation: "removeAdministrator",
                summary: "Remove an administrator and end their sessions.", status: .noContent,
                service: .session(remove)),
            AdminRoute(
                method: .post, path: "/administrators/{administrator}/password", operation: "resetPassword",
                summary: "Give an administrator a one-time password, shown only once, and end their sessions.",
                answer: .json(.named("AdministratorPassword")), service: .session(resetPassword)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let all = try await management.administrators()
        return try AdminAnswer.list(all.map(AdminMessages.Administrator.init), by: .administrators, call)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let administrator = try await management.administrator(named: call.parameter("administrator")) else {
            throw HTTPProblem(AdminRefusal.unknownAdministrator)
        }
        return try AdminAnswer.json(AdminMessages.Administrator(administrator))
    }

    private func create(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AdministratorRequest.self)
        let made = try await management.addAdministrator(
            named: wish.name, rights: try Self.rights(wish.role, wish.apps, wish.groups),
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdministratorPassword(made), status: .created)
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(RightsRequest.self)
        let changed = try await management.setRights(
            of: call.parameter("administrator"), to: try Self.rights(wish.role, wish.apps, wish.groups),
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.Administrator(changed))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeAdministrator(
            named: call.parameter("administrator"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func resetPassword(_ call: AdminCall) async throws -> Response {
        let made = try await management.resetPassword(
            of: call.parameter("administrator"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdministratorPassword(made))
    }

    static func rights(
        _ role: AdministratorRole, _ apps: [String]?, _ groups: [String]?
    ) throws(HTTPProblem) -> Rights {
        guard let role = Role(rawValue: role.rawValue) else {
            let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPProblem(.unprocessableContent, "invalid", "The role is one of \(known).")
        }
        return Rights(role: role, apps: apps ?? [], groups: groups ?? [])
    }
}

extension AdminMessages.Administrator {
    init(_ administrator: AdministratorRecord) {
        let rights = administrator.rights
        self.init(
            name: administrator.name, role: AdministratorRole(rawValue: rights.role.rawValue),
            apps: rights.role == .appOwner ? rights.apps : nil, groups: rights.role == .appOwner ? rights.groups : nil,
            mustChangePassword: administrator.mustChangePassword, created: administrator.created)
    }
}

extension AdministratorPassword {
    fileprivate init(_ made: NewPassword) {
        self.init(
            administrator: .init(made.administrator), oneTimePassword: made.oneTimePassword,
            expires: made.administrator.passwordEnds)
    }
}
