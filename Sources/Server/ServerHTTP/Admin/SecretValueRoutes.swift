import AdminMessages
import HTTPTypes
import Hummingbird
import Management

/// Values that single devices or people have of a secret: tables go in, numbers come out.
struct SecretValueRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .put, path: "/secrets/{name}/values", operation: "setSecretValues",
                summary: """
                    Give single devices, or people, their own values of a password, as a table says: serialNumber or \
                    person, password and, if need be, userName. All of it or nothing; devices whose value stays the \
                    same are not touched. A device's own value counts before its person's.
                    """,
                query: [
                    QueryParameter(
                        name: "replace", schema: .boolean,
                        summary: """
                            Devices that a table of devices does not name, or people that a table of people does not \
                            name, lose their value; they keep it without.
                            """)
                ], body: .table, answer: .json(.named("SecretValuesAnswer")), judgesConditions: true,
                tellsVersion: true, service: .session(set))
        ]
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let replaces = try call.flag("replace")
        let name = try call.parameter("name")
        let expected = try await call.expectedVersion { try await management.secret(named: name)?.current.number }
        let table = try await call.request.bytes(upTo: call.limits.tableBytes)
        let change = try await management.setSecretValues(
            name, to: table, replaces: replaces, expected: expected, author: call.session.administrator
        ).get()
        let version = change.secret.current.number
        var response = try AdminAnswer.json(
            SecretValuesAnswer(
                owner: change.owners == .person ? change.owners.rawValue : nil, version: version, set: change.set,
                removed: change.removed, total: change.total))
        response.headers[.eTag] = EntityTag(version: version).text
        return response
    }
}
