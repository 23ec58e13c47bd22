import AdminMessages
import Hummingbird
import Management

/// Groups of devices.
struct GroupRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/groups", operation: "listGroups", summary: "The groups, by name.",
                query: QueryParameter.paging, answer: .json(.page(of: "Group")), service: .session(list)),
            AdminRoute(
                method: .post, path: "/groups", operation: "createGroup",
                summary: "Create a group, with a rule or to be filled by hand.",
                body: .json(.named("Group")), status: .created, answer: .json(.named("Group")),
                service: .session(create)),
            AdminRoute(
                method: .get, path: "/groups/{group}", operation: "showGroup", summary: "One group.",
                answer: .json(.named("Group")), service: .session(show)),
            AdminRoute(
                method: .delete, path: "/groups/{group}", operation: "removeGroup",
                summary: "Remove a group that nothing uses, or that only its rule fills.", status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.groups(call.page()), AdminMessages.Group.init)
    }

    private func create(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AdminMessages.Group.self)
        let rule = try wish.rule.map { text throws(HTTPProblem) in try GroupRuleRoutes.rule(text, nil) }
        let group = try await management.createGroup(
            named: wish.name, rule: rule, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.Group(group), status: .created)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let group = try await management.group(named: call.parameter("group")) else {
            throw HTTPProblem(.unknownGroup)
        }
        return try AdminAnswer.json(AdminMessages.Group(group))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeGroup(
            named: call.parameter("group"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.Group {
    fileprivate init(_ record: GroupRecord) {
        self.init(
            name: record.name, deviceCount: record.devices, rule: record.rule?.text,
            judging: record.isJudging ? true : nil)
    }
}
