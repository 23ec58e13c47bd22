import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// An app's configurations: the property lists themselves, and their history.
struct ConfigurationRoutes: Sendable {
    private static let collection = "/apps/{app}/configurations"
    private static let one = collection + "/{name}"

    private static let force = QueryParameter(
        name: "force", schema: .boolean,
        summary: """
            Set it although the app's specification refuses it, or although a value that is delivered as user defaults \
            looks like a secret.
            """)

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.collection, operation: "listConfigurations",
                summary: "An app's configurations, by name.", query: QueryParameter.paging,
                answer: .json(.page(of: "ConfigurationSummary")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showConfiguration",
                summary: "The property list, byte for byte as it was set.", answer: .propertyList,
                service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setConfiguration",
                summary: """
                    Set the property list. What is there already makes no new version, and the answer says `unchanged`. \
                    `If-Match` makes sure that nobody else changed it meanwhile.
                    """,
                query: [Self.force], body: .propertyList, answer: .json(.named("ConfigurationAnswer")),
                judgesConditions: true, tellsVersion: true,
                service: .session(set)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removeConfiguration",
                summary: "Remove a configuration that no assignment uses.", status: .noContent,
                judgesConditions: true, service: .session(remove)),
            AdminRoute(
                method: .get, path: Self.one + "/versions", operation: "listConfigurationVersions",
                summary: "The kept versions, newest first.", query: QueryParameter.paging,
                answer: .json(.page(of: "ConfigurationVersion")), service: .session(versions)),
            AdminRoute(
                method: .get, path: Self.one + "/versions/{version}", operation: "showConfigurationVersion",
                summary: "The property list of one version.", answer: .propertyList, service: .session(version)),
            AdminRoute(
                method: .get, path: Self.one + "/adoption", operation: "showConfigurationAdoption",
                summary: "On how many devices the newest versions are, and were by the hour in the last weeks.",
                answer: .json(.named("ConfigurationAdoption")), service: .session(adoption)),
            AdminRoute(
                method: .post, path: Self.one + "/revert", operation: "revertConfiguration",
                summary: """
                    Make an earlier version the newest again. Where its content is the present one, the answer says \
                    `unchanged`.
                    """, query: [Self.force],
                body: .json(.named("RevertRequest")),
                answer: .json(.named("ConfigurationAnswer")), judgesConditions: true, tellsVersion: true,
                service: .session(revert)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let page = try await management.configurations(of: call.parameter("app"), call.page()).get()
        return try AdminAnswer.page(page) { record in
            ConfigurationSummary(
                name: record.name, version: record.version, sha256: record.sha256, size: record.size,
                modified: record.created, variables: record.variables)
        }
    }

    private func show(_ call: AdminCall) async throws -> Response {
        try await document(of: call, version: nil)
    }

    private func version(_ call: AdminCall) async throws -> Response {
        try await document(of: call, version: call.number("version"))
    }

    private func document(of call: AdminCall, version: Int?) async throws -> Response {
        let document = try await management.configuration(
            app: call.parameter("app"), name: call.parameter("name"), version: version)
        guard let document else {
            throw HTTPProblem(version == nil ? .unknownConfiguration : .unknownVersion)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: document.version.encoding.mediaType, .cacheControl: "no-store",
                .eTag: EntityTag(version: document.version.version).text,
            ], body: ResponseBody(data: document.bytes))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let expected = try await expectation(of: call)
        let bytes = try await call.request.bytes(upTo: call.limits.configurationBytes)
        let stored = try await management.putConfiguration(
            app: call.parameter("app"), name: call.parameter("name"), bytes: bytes, expected: expected,
            isForced: call.flag("force"), author: call.session.administrator
        ).get()
        return try answer(stored)
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeConfiguration(
            app: call.parameter("app"), name: call.parameter("name"), expected: expectation(of: call),
            author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func versions(_ call: AdminCall) async throws -> Response {
        let page = try await management.configurationVersions(
            app: call.parameter("app"), name: call.parameter("name"), call.page()
        ).get()
        return try AdminAnswer.page(page) { record in
            AdminMessages.ConfigurationVersion(
                version: record.version, sha256: record.sha256, size: record.size, created: record.created,
                author: record.author, revertOf: record.revertOf)
        }
    }

    private func adoption(_ call: AdminCall) async throws -> Response {
        let found = try await management.adoption(
            of: call.parameter("app"), configuration: call.parameter("name")
        ).get()
        return try AdminAnswer.json(
            ConfigurationAdoption(
                since: found.since,
                versions: found.versions.map {
                    .init(extension: $0.extension, version: $0.version, devices: $0.devices)
                },
                points: found.points.map {
                    .init(time: $0.time, extension: $0.extension, version: $0.version, devices: $0.devices)
                }))
    }

    private func revert(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(RevertRequest.self)
        let stored = try await management.revertConfiguration(
            app: call.parameter("app"), name: call.parameter("name"), to: wish.version,
            expected: expectation(of: call), isForced: call.flag("force"), author: call.session.administrator
        ).get()
        return try answer(stored)
    }

    private func answer(_ stored: StoredConfiguration) throws -> Response {
        let version = stored.version
        var response = try AdminAnswer.json(
            ConfigurationAnswer(
                version: version.version, sha256: version.sha256, size: version.size, warnings: stored.warnings,
                variables: version.variables, unchanged: stored.isNew ? nil : true))
        response.headers[.eTag] = EntityTag(version: version.version).text
        return response
    }

    private func expectation(of call: AdminCall) async throws -> ExpectedVersion {
        try await call.expectedVersion {
            try await management.configuration(app: call.parameter("app"), name: call.parameter("name"))?
                .version.version
        }
    }
}

extension EntityTag {
    /// The tag of a version of a configuration or a secret: versions never change.
    init(version: Int) {
        self.init("v\(version)")
    }

    /// The version in an `If-Match` that names one tag.
    static func version(in header: String) -> Int? {
        guard case .tags(let tags) = EntityTagList(header), tags.count == 1, let tag = tags.first, !tag.isWeak,
            let version = Int(tag.text.dropFirst(2).dropLast()), EntityTag(version: version).text == tag.text
        else { return nil }
        return version
    }
}
