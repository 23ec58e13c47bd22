import AdminMessages
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// Which group gets which app, with which configuration.
struct AssignmentRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/assignments", operation: "listAssignments", summary: "The assignments.",
                query: QueryParameter.paging + [
                    QueryParameter(name: "group", schema: .string, summary: "Only this group's."),
                    QueryParameter(name: "app", schema: .string, summary: "Only this app's."),
                ], answer: .json(.page(of: "Assignment")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/assignments/{group}/{app}", operation: "showAssignment",
                summary: "One assignment.", answer: .json(.named("Assignment")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/assignments/{group}/{app}", operation: "assign",
                summary: "Give an app to a group, with one of its configurations or none.", query: Self.judging,
                body: .json(.named("AssignmentRequest")), answer: .json(.named("Assignment")),
                judgesConditions: true, service: .session(assign)),
            AdminRoute(
                method: .patch, path: "/assignments/{group}/{app}", operation: "changeAssignment",
                summary: "Change an assignment in what is mentioned, or make it; `changed` says what is another now.",
                query: Self.judging, body: .mergePatch(.named("AssignmentPatch")), answer: .json(.named("Assignment")),
                judgesConditions: true, service: .session(change)),
            AdminRoute(
                method: .delete, path: "/assignments/{group}/{app}", operation: "unassign",
                summary: "Take an app from a group.", status: .noContent, judgesConditions: true,
                service: .session(unassign)),
        ]
    }

    private static let judging = [
        QueryParameter(
            name: "force", schema: .boolean,
            summary: """
                Do so although a version on the group's devices refuses the configuration, or although a value that is \
                delivered as user defaults looks like a secret.
                """),
        QueryParameter(
            name: "dryRun", schema: .boolean, summary: "Only says what would be said; false without it."),
    ]

    private func list(_ call: AdminCall) async throws -> Response {
        let filter = AssignmentFilter(group: call.query("group"), app: call.query("app"))
        return try AdminAnswer.page(
            await management.assignments(filter, call.page()), AdminMessages.Assignment.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let assignment = try await management.assignment(app: call.parameter("app"), group: call.parameter("group"))
        guard let assignment else { throw HTTPProblem(.unknownAssignment) }
        return try AdminAnswer.json(AdminMessages.Assignment(assignment))
    }

    private func assign(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AssignmentRequest.self)
        let expected = try await expectation(of: call)
        let made = try await management.assign(
            app: call.parameter("app"), configuration: wish.configuration, extensions: wish.extensions ?? [:],
            lowestTrust: AppSourceRecord.word(wish.lowestTrust ?? AppTrust.launched.rawValue, "lowest trust"),
            install: wish.install.map { text throws(HTTPProblem) in try AppSourceRecord.word(text, "install") },
            priority: wish.priority ?? 0,
            delivery: AppSourceRecord.word(wish.delivery ?? AssignmentRecord.Delivery.framework.rawValue, "delivery"),
            to: call.parameter("group"), isForced: call.flag("force"), isDryRun: call.flag("dryRun"),
            expected: expected, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.Assignment(made))
    }

    private func change(_ call: AdminCall) async throws -> Response {
        let patch = try await call.json(AssignmentPatch.self)
        let amendment = try AssignmentAmendment(patch, of: call.parameter("app"), for: call.parameter("group"))
        let made = try await management.amend(
            amendment, isForced: call.flag("force"), isDryRun: call.flag("dryRun"), expected: expectation(of: call),
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.Assignment(made))
    }

    private func unassign(_ call: AdminCall) async throws -> Response {
        try await management.unassign(
            app: call.parameter("app"), from: call.parameter("group"), expected: expectation(of: call),
            author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    /// What `If-Match` or `If-None-Match: *` says about the assignment that should be there; the change holds for that very
    /// one.
    private func expectation(of call: AdminCall) async throws -> ExpectedAssignment {
        let headers = call.request.headers
        if headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" { return .absent }
        guard let seen = headers[.ifMatch] else { return .any }
        guard
            let present = try await management.assignment(app: call.parameter("app"), group: call.parameter("group")),
            AdminAnswer.tag(of: try AdminJSON.encode(AdminMessages.Assignment(present))).isNamed(byIfMatch: seen)
        else { throw HTTPProblem.changed }
        return .present(present)
    }
}

extension AdminMessages.Assignment {
    fileprivate init(_ record: AssignmentRecord) {
        self.init(
            group: record.group, app: record.app, configuration: record.configuration,
            extensions: record.extensions.isEmpty ? nil : record.extensions,
            lowestTrust: record.lowestTrust == .launched ? nil : record.lowestTrust.rawValue,
            install: record.install?.rawValue, priority: record.priority == 0 ? nil : record.priority,
            delivery: record.delivery.said)
    }

    fileprivate init(_ made: MadeAssignment) {
        self.init(made.assignment)
        warnings = made.warnings
        changed = made.changed?.map(\.rawValue)
    }
}

extension AssignmentRecord.Delivery {
    /// The word of the API; nothing where it goes without saying.
    var said: String? { self == .framework ? nil : rawValue }
}

extension AssignmentAmendment {
    fileprivate init(_ patch: AssignmentPatch, of app: String, for group: String) throws(HTTPProblem) {
        let extensions: Amendment<[String: Amendment<String>]> =
            switch patch.extensions {
            case .stays: .stays
            case .goes: .goes
            case .becomes(let named): .becomes(named.mapValues { Amendment($0) })
            }
        self.init(
            group: group, app: app, configuration: Amendment(patch.configuration), extensions: extensions,
            lowestTrust: try Amendment(word: patch.lowestTrust, "lowest trust"),
            install: try Amendment(word: patch.install, "install"), priority: Amendment(patch.priority),
            delivery: try Amendment(word: patch.delivery, "delivery"))
    }
}

extension Amendment {
    fileprivate init(_ patched: Patched<Value>) where Value: Codable & Hashable {
        switch patched {
        case .stays: self = .stays
        case .goes: self = .goes
        case .becomes(let value): self = .becomes(value)
        }
    }

    /// Of one of a few words.
    fileprivate init(word patched: Patched<String>, _ name: String) throws(HTTPProblem)
    where Value: RawRepresentable<String> & CaseIterable {
        switch patched {
        case .stays: self = .stays
        case .goes: self = .goes
        case .becomes(let text): self = .becomes(try AppSourceRecord.word(text, name))
        }
    }
}
