import Foundation
import InputBounds
import Testing

/// Every route of the administrator's API says no in one way: the same status, the same form, and what to do instead.
@Suite struct UniformRefusalTests {
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE",
    ]

    /// What a path does not do is refused with 405 and with what it does, session or not.
    @Test func whatAPathDoesNotDoIsNotAllowedAndSaysWhatIs() async throws {
        try await Self.walk { admin, operations in
            for (path, here) in Dictionary(grouping: operations, by: \.path) {
                let allowed = here.map(\.method).sorted().joined(separator: ", ")
                for method in Self.methods where !here.contains(where: { $0.method == method }) {
                    let answer = try await admin.client.send(method, admin.base + here[0].filled)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer.headers["allow"] == allowed, "\(method) \(path)")
                    guard method != "HEAD" else { continue }
                    Self.expectProblem(answer, "method-not-allowed", "\(method) \(path)")
                }
            }
        }
    }

    @Test(arguments: ["", "/nowhere", "/groups/a/b/c", "/groups/a/nowhere", "/openapi.json/x", "x"])
    func whatIsNoPathIsNotFoundWhateverIsAsked(path: String) async throws {
        try await Self.walk { admin, _ in
            for method in Self.methods where method != "HEAD" {
                let answer = try await admin.send(method, path)
                #expect(answer.status == 404, "\(method)")
                Self.expectProblem(answer, "not-found", "\(method)")
            }
        }
    }

    /// A body of a kind that the route does not take is not looked at.
    @Test func aBodyOfAnotherKindIsUnsupported() async throws {
        try await Self.walk { admin, operations in
            for operation in operations where operation.mediaTypes != nil {
                let taken = operation.mediaTypes ?? []
                let wrong = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", "a/b; c=d"]
                for type in wrong where !taken.contains(type) {
                    let answer = try await admin.send(
                        operation.method, operation.filled, headers: ["Content-Type": type], body: Data("{}".utf8))
                    #expect(answer.status == 415, "\(operation.name) \(type)")
                    let named = (answer.headers["accept"] ?? "").split(separator: ", ").map(String.init).sorted()
                    #expect(named == taken.sorted(), "\(operation.name)")
                    Self.expectProblem(answer, "unsupported-media-type", operation.name)
                }
                let right = try #require(taken.first)
                for type in [right, right.uppercased(), right + "; charset=utf-8"] {
                    let answer = try await admin.send(
                        operation.method, operation.filled, headers: ["Content-Type": type], body: Data("{".utf8))
                    #expect(answer.status != 415, "\(operation.name) \(type)")
                }
            }
        }
    }

    /// A parameter that nobody knows is named, with those that are known; one that is said twice is refused, too.
    @Test func aParameterThatIsNotKnownIsNamed() async throws {
        try await Self.walk { admin, operations in
            for operation in operations where operation.name != "logOut" {
                let body = operation.method == "GET" ? nil : Data("{}".utf8)
                for name in ["nowhere", "Limit", "dry-run"] {
                    let answer = try await admin.send(
                        operation.method, operation.filled + "?\(name)=1", body: body)
                    #expect(answer.status == 400, "\(operation.name)")
                    Self.expectProblem(answer, "unknown-parameter", operation.name)
                    #expect(answer.text.contains("“\(name)”"), "\(operation.name)")
                    for known in operation.query { #expect(answer.text.contains(known), "\(operation.name)") }
                }
                // What can be no name is not repeated.
                for (name, said) in [(String(repeating: "a", count: 64), "aaaa"), ("%3Cscript%3E", "script")] {
                    let strange = try await admin.send(operation.method, operation.filled + "?\(name)", body: body)
                    #expect(strange.status == 400 && !strange.text.contains(said), "\(operation.name)")
                }
                guard let known = operation.query.first else { continue }
                let twice = try await admin.send(
                    operation.method, operation.filled + "?\(known)=1&\(known)=1", body: body)
                #expect(twice.status == 400, "\(operation.name)")
                Self.expectProblem(twice, "invalid", operation.name)
            }
        }
    }

    /// Nobody who is not let in learns what a route takes.
    @Test func whoIsNotLoggedInIsToldThatFirst() async throws {
        try await Self.walk { admin, operations in
            for operation in operations where !["logIn", "describe", "showReference"].contains(operation.name) {
                let answer = try await admin.client.send(
                    operation.method, admin.base + operation.filled + "?nowhere=1",
                    headers: ["Content-Type": "text/plain"], body: operation.method == "GET" ? nil : Data("{}".utf8))
                #expect(answer.status == 401, "\(operation.name)")
            }
        }
    }

    // MARK: The walk

    private struct Operation: Sendable {
        let method: String
        let path: String
        let name: String
        let query: [String]
        /// Nothing for what takes no body.
        let mediaTypes: [String]?

        var filled: String { path.replacing(/\{[a-zA-Z0-9]+\}/) { _ in "1" } }
    }

    private static func walk(_ step: (AdminClient, [Operation]) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let answer = try await admin.send("GET", "/openapi.json")
                let document = try JSONValue(parsing: answer.body, limits: .adminBody)
                let operations = try #require(document["paths"]?.object).flatMap { path, methods in
                    (methods.object ?? [:]).map { method, operation in
                        Operation(
                            method: method.uppercased(), path: path, name: operation["operationId"]?.string ?? "",
                            query: (operation["parameters"]?.array ?? []).filter { $0["in"]?.string == "query" }
                                .compactMap { $0["name"]?.string },
                            mediaTypes: operation["requestBody"]?["content"]?.object.map { Array($0.keys) })
                    }
                }
                try #require(operations.count > 90)
                try await step(admin, operations.sorted { $0.name < $1.name })
            }
        }
    }

    private static func expectProblem(_ answer: Answer, _ code: String, _ place: String) {
        #expect(answer.headers["content-type"] == "application/problem+json", "\(place)")
        let problem = try? JSONValue(parsing: answer.body, limits: .adminBody)
        #expect(problem?["type"]?.string == "urn:martlet:problem:\(code)", "\(place)")
        #expect(problem?["status"]?.int == Int(answer.status), "\(place)")
    }
}
