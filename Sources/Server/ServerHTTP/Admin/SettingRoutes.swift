import AdminMessages
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// Settings: what devices of a group are given beside apps, by kind and name.
struct SettingRoutes: Sendable {
    private static let one = "/settings/{kind}/{name}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/setting-kinds", operation: "listSettingKinds",
                summary: "The kinds of settings that this server knows, each with the JSON Schema of its payload.",
                query: QueryParameter.cutting, answer: .json(.page(of: "SettingKind")), service: .session(kinds)),
            AdminRoute(
                method: .get, path: "/settings", operation: "listSettings",
                summary: "The settings, by kind and name, without their payloads.",
                query: QueryParameter.paging + [
                    QueryParameter(name: "kind", schema: .string, summary: "Only those of this kind.")
                ], answer: .json(.page(of: "Setting")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showSetting", summary: "One setting in its newest version.",
                answer: .json(.named("Setting")), service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setSetting",
                summary: """
                    Set a setting: a new version, which the devices of its groups get at once. `If-Match` makes sure \
                    that nobody else changed it meanwhile.
                    """,
                query: [
                    QueryParameter(
                        name: "dryRun", schema: .boolean, summary: "Only says what would be said; false without it.")
                ], body: .json(.named("SettingRequest")), answer: .json(.named("Setting")), judgesConditions: true,
                tellsVersion: true, service: .session(set)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removeSetting",
                summary: "Remove a setting that no group is assigned, with its versions.", status: .noContent,
                judgesConditions: true, service: .session(remove)),
            AdminRoute(
                method: .get, path: Self.one + "/versions", operation: "listSettingVersions",
                summary: "The kept versions, newest first.", query: QueryParameter.paging,
                answer: .json(.page(of: "SettingVersion")), service: .session(versions)),
        ]
    }

    private func kinds(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.list(SettingKindRecord.all.map(AdminMessages.SettingKind.init), by: .settingKinds, call)
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let page = try await management.settings(kind: call.query("kind"), call.page())
        return try AdminAnswer.page(page) { record in
            var setting = AdminMessages.Setting(record)
            setting.payload = nil
            return setting
        }
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let record = try await found(call)
        var setting = AdminMessages.Setting(record)
        let warnings = management.warnings(of: record)
        setting.warnings = warnings.isEmpty ? nil : warnings
        return try answer(setting)
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let isDryRun = try call.flag("dryRun")
        let expected = try await expectation(of: call)
        let wish = try await call.json(SettingRequest.self)
        let made = try await management.setSetting(
            kind: call.parameter("kind"), name: call.parameter("name"), payload: JSONValue(wish.payload),
            isDryRun: isDryRun, expected: expected, author: call.session.administrator
        ).get()
        var setting = AdminMessages.Setting(made.setting)
        setting.warnings = made.warnings
        setting.unchanged = made.isUnchanged ? true : nil
        var response = try answer(setting)
        // Nothing has the version that would be.
        if isDryRun { response.headers[.eTag] = nil }
        return response
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        _ = try await management.removeSetting(
            kind: call.parameter("kind"), name: call.parameter("name"), expected: expectation(of: call),
            author: call.session.administrator
        ).get()
        return AdminAnswer.nothing
    }

    private func versions(_ call: AdminCall) async throws -> Response {
        let page = try call.page()
        let setting = try await found(call)
        let versions = try await management.settingVersions(kind: setting.kind, name: setting.name, page)
        return try AdminAnswer.page(versions) { record in
            AdminMessages.SettingVersion(
                version: record.version, payload: JSON(record.payload), author: record.author,
                created: record.created)
        }
    }

    private func found(_ call: AdminCall) async throws -> SettingRecord {
        let kind = try call.parameter("kind")
        guard SettingKindRecord.named(kind) != nil else { throw HTTPProblem(.unknownSettingKind) }
        guard let setting = try await management.setting(kind: kind, name: call.parameter("name")) else {
            throw HTTPProblem(.unknownSetting)
        }
        return setting
    }

    private func answer(_ setting: AdminMessages.Setting) throws -> Response {
        var response = try AdminAnswer.json(setting)
        response.headers[.eTag] = EntityTag(version: setting.version).text
        return response
    }

    private func expectation(of call: AdminCall) async throws -> ExpectedVersion {
        try await call.expectedVersion {
            try await management.setting(kind: call.parameter("kind"), name: call.parameter("name"))?.version
        }
    }
}

extension AdminMessages.Setting {
    fileprivate init(_ record: SettingRecord) {
        self.init(
            kind: record.kind, name: record.name, version: record.version, payload: JSON(record.payload),
            summary: record.summary, author: record.author, changed: record.changed)
    }
}

extension AdminMessages.SettingKind {
    fileprivate init(_ kind: SettingKindRecord) {
        self.init(
            name: kind.name, title: kind.title, purpose: kind.purpose, schema: JSON(kind.schema),
            combination: kind.combination.rawValue)
    }
}

extension ShortList<AdminMessages.SettingKind> {
    static var settingKinds: Self { Self(by: { $0.name }) }
}
