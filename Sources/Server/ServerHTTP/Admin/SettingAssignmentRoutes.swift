import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// Which group is given which setting.
struct SettingAssignmentRoutes: Sendable {
    private static let one = "/setting-assignments/{group}/{kind}/{name}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/setting-assignments", operation: "listSettingAssignments",
                summary: "The assignments of settings, by group, kind and name.",
                query: QueryParameter.paging + [
                    QueryParameter(name: "group", schema: .string, summary: "Only this group's."),
                    QueryParameter(name: "kind", schema: .string, summary: "Only settings of this kind."),
                    QueryParameter(name: "name", schema: .string, summary: "Only settings of this name."),
                ], answer: .json(.page(of: "SettingAssignment")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showSettingAssignment",
                summary: "One assignment of a setting.", answer: .json(.named("SettingAssignment")),
                service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "assignSetting",
                summary: "Give a group a setting; its devices get it at once.",
                body: .json(.named("SettingAssignmentRequest")), answer: .json(.named("SettingAssignment")),
                judgesConditions: true, service: .session(assign)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "unassignSetting",
                summary: "Take a setting back from the devices of a group.", status: .noContent,
                judgesConditions: true, service: .session(unassign)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(
            await management.settingAssignments(
                group: call.query("group"), kind: call.query("kind"), name: call.query("name"), call.page()),
            AdminMessages.SettingAssignment.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let found = try await present(call) else { throw HTTPProblem(.unknownSettingAssignment) }
        return try AdminAnswer.json(AdminMessages.SettingAssignment(found))
    }

    private func assign(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(SettingAssignmentRequest.self)
        let assignment = try await management.assignSetting(
            kind: call.parameter("kind"), name: call.parameter("name"), to: call.parameter("group"),
            priority: wish.priority ?? 0, expected: expectation(of: call), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.SettingAssignment(assignment))
    }

    private func unassign(_ call: AdminCall) async throws -> Response {
        _ = try await management.unassignSetting(
            kind: call.parameter("kind"), name: call.parameter("name"), from: call.parameter("group"),
            expected: expectation(of: call), author: call.session.administrator
        ).get()
        return AdminAnswer.nothing
    }

    private func present(_ call: AdminCall) async throws -> SettingAssignmentRecord? {
        try await management.settingAssignment(
            kind: call.parameter("kind"), name: call.parameter("name"), group: call.parameter("group"))
    }

    /// What `If-Match` or `If-None-Match: *` says about the assignment that should be there; the change holds for that
    /// very one.
    private func expectation(of call: AdminCall) async throws -> ExpectedSettingAssignment {
        let headers = call.request.headers
        if headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" { return .absent }
        guard let seen = headers[.ifMatch] else { return .any }
        guard let present = try await present(call) else { throw HTTPProblem.changed }
        let tag = AdminAnswer.tag(of: try AdminJSON.encode(AdminMessages.SettingAssignment(present)))
        guard tag.isNamed(byIfMatch: seen) else { throw HTTPProblem.changed }
        return .present(present)
    }
}

extension AdminMessages.SettingAssignment {
    fileprivate init(_ record: SettingAssignmentRecord) {
        self.init(
            group: record.group, kind: record.kind, setting: record.setting, priority: record.priority,
            assigned: record.assigned)
    }
}
