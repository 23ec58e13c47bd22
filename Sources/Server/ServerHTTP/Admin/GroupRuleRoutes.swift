import AdminMessages
import Hummingbird
import InputBounds
import Management

/// Which devices are in a group by what they report.
struct GroupRuleRoutes: Sendable {
    private static let mostShown = 100

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/groups/{group}/rule", operation: "showGroupRule",
                summary: "The rule that says which devices are in the group.",
                answer: .json(.named("GroupRuleDetail")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/groups/{group}/rule", operation: "setGroupRule",
                summary: "Say by a rule, as text or as tree, which devices are in the group.",
                query: [
                    QueryParameter(
                        name: "dryRun", schema: .boolean,
                        summary: "Only says how the rule would be kept; false without it.")
                ],
                body: .json(.named("GroupRuleRequest")), answer: .json(.named("GroupRuleDetail")),
                judgesConditions: true, tellsVersion: true,
                service: .session(set)),
            AdminRoute(
                method: .delete, path: "/groups/{group}/rule", operation: "removeGroupRule",
                summary: "Take the rule away: who is in the group stays, until taken out by hand.", status: .noContent,
                judgesConditions: true, service: .session(remove)),
            AdminRoute(
                method: .post, path: "/groups/preview", operation: "previewGroup",
                summary: "Which devices a rule would have in a group, part by part of the fleet; nothing is changed.",
                body: .json(.named("GroupPreviewRequest")), answer: .json(.named("GroupPreview")), isReading: true,
                service: .session(preview)),
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let group = try await management.group(named: call.parameter("group")) else {
            throw HTTPProblem(.unknownGroup)
        }
        return try answer(group)
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let expected = try await expectation(of: call)
        let wish = try await call.json(GroupRuleRequest.self)
        let rule = try Self.rule(wish.rule, wish.tree)
        if try call.flag("dryRun") {
            guard try await management.group(named: call.parameter("group")) != nil else {
                throw HTTPProblem(.unknownGroup)
            }
            var response = try AdminAnswer.json(GroupRuleDetail(rule, isJudging: false))
            // Nothing is kept that a change could be held to.
            response.headers[.eTag] = nil
            return response
        }
        let group = try await management.setGroupRule(
            rule, of: call.parameter("group"), expected: expected, author: call.session.administrator
        ).get()
        return try answer(group)
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        let name = try call.parameter("group")
        let expected = try await expectation(of: call)
        guard let group = try await management.group(named: name) else { throw HTTPProblem(.unknownGroup) }
        guard group.rule != nil else { throw HTTPProblem.noRule }
        _ = try await management.setGroupRule(nil, of: name, expected: expected, author: call.session.administrator)
            .get()
        return AdminAnswer.nothing
    }

    private func preview(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(GroupPreviewRequest.self)
        let rule = try Self.rule(wish.rule, wish.tree)
        let first = wish.limit ?? AdminMessages.GroupPreview.standardLimit
        guard (1...Self.mostShown).contains(first) else {
            throw HTTPProblem(
                .unprocessableContent, "invalid", "A limit is a whole number from 1 to \(Self.mostShown).")
        }
        let found = try await management.preview(rule, of: wish.group, first: first, after: wish.cursor ?? "").get()
        return try AdminAnswer.json(AdminMessages.GroupPreview(found, of: rule))
    }

    private func answer(_ group: GroupRecord) throws -> Response {
        guard let rule = group.rule else { throw HTTPProblem.noRule }
        var response = try AdminAnswer.json(GroupRuleDetail(rule, isJudging: group.isJudging))
        response.headers[.eTag] = EntityTag(version: group.revision).text
        return response
    }

    private func expectation(of call: AdminCall) async throws -> ExpectedVersion {
        try await call.expectedVersion {
            try await management.group(named: call.parameter("group")).flatMap { $0.rule == nil ? nil : $0.revision }
        }
    }

    /// A rule as text or as tree.
    static func rule(_ text: String?, _ tree: JSON?) throws(HTTPProblem) -> GroupRule {
        do throws(GroupRuleRefusal) {
            switch (text, tree) {
            case (let text?, nil): return try GroupRule(parsing: text)
            case (nil, let tree?): return try GroupRule(JSONValue(tree))
            default: throw GroupRuleRefusal("it is given once, as “rule” or as “tree”")
            }
        } catch {
            throw HTTPProblem(.unprocessableContent, "invalid", error.sentence)
        }
    }
}

extension HTTPProblem {
    fileprivate static let noRule = HTTPProblem(.notFound, "not-found", "The group has no rule.")
}

extension GroupRuleDetail {
    fileprivate init(_ rule: GroupRule, isJudging: Bool) {
        self.init(
            rule: rule.text, tree: JSON(rule.json), facts: rule.facts.map(\.text).sorted(), judging: isJudging)
    }
}

extension AdminMessages.GroupPreview {
    fileprivate init(_ found: GroupPreviewRecord, of rule: GroupRule) {
        func part(_ part: GroupPreviewRecord.Part) -> Part {
            Part(
                count: part.count,
                devices: part.first.map { key in
                    let facts = found.names[key]
                    return Device(id: key, name: facts?.deviceName, serialNumber: facts?.serialNumber)
                })
        }
        self.init(
            rule: rule.text, members: part(found.members), joining: part(found.joining), leaving: part(found.leaving),
            judged: found.judged, next: found.next)
    }
}
