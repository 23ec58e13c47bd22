import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import ServerHTTP
import Testing

/// The description of the API against the API, in both directions.
@Suite struct OpenAPITests {
    /// What is served under the API's prefix and what is described are the same; what is served beside it is this.
    @Test func everyRouteIsDescribedAndEveryDescribedRouteIsServed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let prefix = "/api/v1"
                let document = try await document(admin)
                let described = operations(of: document).map { "\($0.method) \(prefix)\($0.path)" }
                #expect(described.count >= 35)
                let served = Set(server.server.routes)
                #expect(Set(described) == served.filter { $0.contains(" \(prefix)/") })
                #expect(
                    served.subtracting(described)
                        == Set<String>([
                            "GET /healthz", "GET /readyz", "GET /ca.pem", "GET /enroll/{code}", "GET /scep",
                            "POST /scep",
                            "GET /scep/identities", "POST /scep/identities", "POST /mdm/attestation/keys",
                            "POST /mdm/attestation/activation", "GET /pki/identities.pem",
                            "POST /pki/ocsp", "GET /pki/ocsp/**",
                            "PUT /mdm/checkin", "PUT /mdm/command", "GET /mdm/assets/{sha256}",
                            "GET /mdm/credentials/{name}/{version}", "GET /mdm/wake",
                            "POST /enroll/{code}/attestation/keys", "POST /enroll/{code}/attestation/activation",
                            "GET /pki/crl", "GET /packages/{sha256}", "GET /packages/{sha256}/manifest.plist",
                            "GET /.well-known/com.apple.remotemanagement", "POST /enroll/account",
                            "GET /enroll/account/sign-in", "POST /enroll/account/sign-in", "POST /enroll/automatic",
                            "GET /", "GET /console", "POST /console", "GET /console/**", "POST /console/**",
                        ]).union(Self.acme(at: "/acme")).union(Self.acme(at: "/acme/devices")))
            }
        }
    }

    private static let takeNothing = [
        "logOut", "logOutElsewhere", "showSession", "showOverview", "showHealth", "exportAudit",
        "listTeams", "showAppleReadiness",
        "listAdministrators", "listenToEvents", "startAuditVerification",
    ]

    /// GET is served where it is refused, too: only the directory and new nonces are for everybody to read.
    private static func acme(at path: String) -> Set<String> {
        let places = [
            "directory", "new-nonce", "new-account", "account/{id}", "account/{id}/orders", "key-change", "new-order",
            "order/{id}", "order/{id}/finalize", "authorization/{id}", "challenge/{id}", "certificate/{id}",
            "revoke-cert",
        ]
        return Set(places.flatMap { place in ["GET", "HEAD", "POST"].map { "\($0) \(path)/\(place)" } })
    }

    /// Each operation is called with success: the status and the body are those that the document promises.
    @Test func everyOperationAnswersAsDescribed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let document = try await document(admin)
                    let token = try await admin.signIn("ben", server, group: "others")
                    let personal = try await PlayedDevice.byAccount(token, server, device.client)
                    var script = try await Script(admin, device, personal: personal)
                    var left = Dictionary(uniqueKeysWithValues: operations(of: document).map { ($0.name, $0) })
                    while let step = script.next() {
                        let operation = try #require(left[step.operation], "\(step.operation)")
                        left[step.operation] = nil
                        let answer = try await admin.send(
                            operation.method, script.fill(operation.path, of: step), headers: step.headers,
                            body: step.body)
                        expect(answer, answers: operation, document)
                        try script.learn(from: answer, of: step)
                    }
                    #expect(left.isEmpty, "not tried: \(left.keys.sorted())")
                }
            }
        }
    }

    /// Each operation is refused: without a session, and for what is not there or cannot be read.
    @Test func everyRefusalIsAProblemAsDescribed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let document = try await document(admin)
                for operation in operations(of: document) where !["describe", "showReference"].contains(operation.name)
                {
                    let path = operation.path.replacingOccurrences(of: "{version}", with: "9")
                        .replacingOccurrences(of: "[{}]", with: "", options: .regularExpression)
                    let anonymous = try await admin.client.send(
                        operation.method, admin.base + path, body: Data("{".utf8))
                    #expect(anonymous.status == (operation.name == "logIn" ? 400 : 401), "\(operation.name)")
                    expectProblem(anonymous, operation, document)
                    // A list is refused for its limit; the end of the session would succeed, and so does what takes
                    // nothing.
                    guard !Self.takeNothing.contains(operation.name) else { continue }
                    let refused = try await admin.send(
                        operation.method, path + (operation.isPaged ? "?limit=none" : ""),
                        body: operation.method == "GET" ? nil : Data("{".utf8))
                    #expect((400..<500).contains(refused.status) && refused.status != 401, "\(operation.name)")
                    #expect(!refused.text.contains("There is nothing here"), "\(operation.name) is not served")
                    expectProblem(refused, operation, document)
                }
                let nowhere = try await admin.send("GET", "/nowhere")
                #expect(nowhere.status == 404)
                #expect(nowhere.text.contains("There is nothing here"))
            }
        }
    }

    @Test func everyNamedSchemaExists() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let document = try await document(admin)
                let text = String(decoding: document.encoded(), as: UTF8.self)
                let schemas = try #require(document["components"]?["schemas"]?.object)
                var used: Set<String> = []
                for part in text.components(separatedBy: "#/components/schemas/").dropFirst() {
                    let name = String(part.prefix { $0 != "\"" })
                    #expect(schemas[name] != nil, "\(name)")
                    used.insert(name)
                }
                #expect(used == Set(schemas.keys), "each is used")
            }
        }
    }

    // MARK: The document

    private struct Operation {
        let name: String
        let method: String
        let path: String
        let description: JSONValue

        var isPaged: Bool { description["parameters"]?.array?.contains { $0["name"]?.string == "limit" } ?? false }
    }

    private func document(_ admin: AdminClient) async throws -> JSONValue {
        let answer = try await admin.client.send("GET", admin.base + "/openapi.json")
        #expect(answer.status == 200)
        return try JSONValue(parsing: answer.body, limits: .adminBody)
    }

    private func operations(of document: JSONValue) -> [Operation] {
        (document["paths"]?.object ?? [:]).flatMap { path, operations in
            (operations.object ?? [:]).map { method, operation in
                Operation(
                    name: operation["operationId"]?.string ?? "", method: method.uppercased(), path: path,
                    description: operation)
            }
        }.sorted { $0.name < $1.name }
    }

    private func expect(_ answer: Answer, answers operation: Operation, _ document: JSONValue) {
        let described = operation.description["responses"]?["\(answer.status)"]
        #expect(described != nil, "\(operation.name) answered \(answer.status): \(answer.text)")
        for field in [
            "ETag", "Location", "Idempotency-Replayed", "Link", "Retry-After", "Content-Range", "Last-Modified",
        ] {
            let isThere = answer.headers[field.lowercased()] != nil
            let isDescribed = described?["headers"]?[field] != nil
            // Nothing is replayed here.
            #expect(isThere == (isDescribed && field != "Idempotency-Replayed"), "\(operation.name): \(field)")
        }
        guard let content = described?["content"]?.object else {
            #expect(answer.body.isEmpty, "\(operation.name)")
            return
        }
        let form = content[String((answer.headers["content-type"] ?? "").prefix { $0 != ";" })]
        #expect(form != nil, "\(operation.name): \(answer.headers["content-type"] ?? "no media type")")
        guard content["application/json"] != nil, let schema = form?["schema"] else { return }
        do {
            let value = try JSONValue(parsing: answer.body, limits: .adminBody)
            SchemaCheck(document: document).expect(value, fits: schema, at: operation.name)
        } catch {
            Issue.record("\(operation.name): not JSON")
        }
    }

    private func expectProblem(_ answer: Answer, _ operation: Operation, _ document: JSONValue) {
        let reference = operation.description["responses"]?["\(answer.status)"]?["$ref"]?.string ?? ""
        let name = reference.split(separator: "/").last.map(String.init) ?? ""
        let described = document["components"]?["responses"]?[name]
        #expect(described != nil, "\(operation.name) answers \(answer.status)")
        let content = described?["content"]?["application/problem+json"]
        #expect(answer.headers["content-type"] == "application/problem+json", "\(operation.name)")
        guard let schema = content?["schema"], let value = try? JSONValue(parsing: answer.body, limits: .adminBody)
        else {
            Issue.record("\(operation.name): a refusal is not described")
            return
        }
        SchemaCheck(document: document).expect(value, fits: schema, at: operation.name)
        #expect(value["status"]?.int == Int(answer.status), "\(operation.name)")
    }
}
