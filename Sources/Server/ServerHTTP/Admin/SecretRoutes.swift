import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// Secrets: values go in, and what comes out says which there are.
struct SecretRoutes: Sendable {
    private static let one = "/secrets/{name}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/secrets", operation: "listSecrets",
                summary: "The secrets, by name, without their values.", query: QueryParameter.paging,
                answer: .json(.page(of: "Secret")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showSecret",
                summary: "What may be shown of a secret: never its value.", answer: .json(.named("Secret")),
                service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setSecret",
                summary: """
                    Set a secret: a new version, which reaches every app that uses it. The body has one member, which \
                    names the kind. `If-Match` makes sure that nobody else changed it meanwhile.
                    """,
                query: [
                    QueryParameter(
                        name: "marker", schema: .string,
                        summary: "What the value is to be known by; nothing in it is secret.")
                ], body: .json(.named("SecretRequest")), answer: .json(.named("Secret")), judgesConditions: true,
                tellsVersion: true, service: .session(set)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removeSecret",
                summary: "Remove a secret that is assigned nowhere, with its versions.", status: .noContent,
                judgesConditions: true, service: .session(remove)),
            AdminRoute(
                method: .get, path: Self.one + "/versions", operation: "listSecretVersions",
                summary: "The versions, newest first; values of old ones are forgotten.", query: QueryParameter.paging,
                answer: .json(.page(of: "SecretVersion")), service: .session(versions)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.secrets(call.page()), AdminMessages.Secret.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let secret = try await management.secret(named: call.parameter("name")) else {
            throw HTTPProblem(.unknownSecret)
        }
        return try answer(secret)
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let expected = try await expectation(of: call)
        let value = try await value(in: call)
        let secret = try await management.setSecret(
            call.parameter("name"), to: value, marker: call.query("marker"), expected: expected,
            author: call.session.administrator
        ).get()
        return try answer(secret)
    }

    // Never inlined: the optimizer of Swift 6.3.1 ends with a signal when it splits the two as one coroutine.
    @inline(never)
    private func value(in call: AdminCall) async throws -> SecretValue {
        try SecretValue(await call.json(SecretRequest.self, upTo: call.limits.secretBytes))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeSecret(
            named: call.parameter("name"), expected: expectation(of: call), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func versions(_ call: AdminCall) async throws -> Response {
        let page = try await management.secretVersions(of: call.parameter("name"), call.page()).get()
        return try AdminAnswer.page(page) { version in
            AdminMessages.SecretVersion(
                version: version.number, created: version.created, author: version.author,
                facts: SecretFacts(version.description))
        }
    }

    private func answer(_ secret: SecretRecord) throws -> Response {
        var response = try AdminAnswer.json(AdminMessages.Secret(secret))
        response.headers[.eTag] = EntityTag(version: secret.current.number).text
        return response
    }

    private func expectation(of call: AdminCall) async throws -> ExpectedVersion {
        try await call.expectedVersion { try await management.secret(named: call.parameter("name"))?.current.number }
    }
}

extension AdminMessages.Secret {
    fileprivate init(_ record: SecretRecord) {
        self.init(
            name: record.name, kind: SecretKind(rawValue: record.kind.rawValue), version: record.current.number,
            created: record.current.created, author: record.current.author,
            facts: SecretFacts(record.current.description), revoking: record.isRevoking ? true : nil,
            lacksValue: record.lacksValue ? true : nil)
    }
}

extension SecretFacts {
    fileprivate init(_ description: SecretDescription) {
        self.init(
            hasUserName: description.hasUserName, variables: description.variables,
            deviceValues: description.deviceValues, personValues: description.personValues,
            fingerprint: description.fingerprint, subject: description.subject, expires: description.notAfter,
            authority: description.authority, keyType: description.keyType, keySize: description.keySize,
            hardwareBound: description.hardwareBound, attest: description.attest, marker: description.marker)
    }
}
