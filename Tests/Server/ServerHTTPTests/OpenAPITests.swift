import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// The description of the API against the API.
@Suite struct OpenAPITests {
    /// Every operation of the document is served, and what is answered has the members that the document demands.
    @Test func theDocumentDescribesWhatIsServed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let document = try await self.document(server, admin)
                    let names = try await prepare(admin, device)
                    let paths = try #require(document["paths"]?.object)
                    #expect(paths.count >= 20)
                    var checked = 0
                    for (path, operations) in paths {
                        for (method, operation) in operations.object ?? [:] {
                            // A route that is not registered is a 404 without a body of its own words.
                            let real = names.reduce(path) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
                            #expect(!real.contains("{"), "no example for \(real)")
                            guard method == "get" else { continue }
                            let answer = try await admin.send("GET", real)
                            #expect(answer.status == 200, "\(method) \(real): \(answer.text)")
                            let content = operation["responses"]?["200"]?["content"]?["application/json"]
                            guard let schema = content?["schema"] else { continue }
                            let value = try JSONValue(parsing: answer.body, limits: .adminBody)
                            check(value, schema, document, at: real)
                            checked += 1
                        }
                    }
                    #expect(checked >= 12)
                }
            }
        }
    }

    /// Changes are tried with a body that no rule accepts: a route that is registered refuses it in its own words.
    @Test func everyDescribedChangeIsRegistered() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let paths = try await document(server, admin)["paths"]?.object ?? [:]
                for (path, operations) in paths {
                    for method in (operations.object ?? [:]).keys where method != "get" {
                        let real = path.replacingOccurrences(of: "{", with: "").replacingOccurrences(of: "}", with: "")
                        // Ending the session is tried last, below.
                        if path == "/session" { continue }
                        let answer = try await admin.send(method.uppercased(), real, body: Data("{".utf8))
                        #expect(!answer.text.contains("There is nothing here"), "\(method) \(path)")
                        #expect(answer.headers["content-type"] == "application/problem+json", "\(method) \(path)")
                    }
                }
                let nowhere = try await admin.send("PUT", "/groups/x", body: Data("{".utf8))
                #expect(nowhere.text.contains("There is nothing here"))
                #expect(try await admin.send("DELETE", "/session").status == 204)
            }
        }
    }

    @Test func everyNamedSchemaExists() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let document = try await document(server, admin)
                let text = String(decoding: document.encoded(), as: UTF8.self)
                let schemas = try #require(document["components"]?["schemas"]?.object)
                for part in text.components(separatedBy: "#/components/schemas/").dropFirst() {
                    let name = String(part.prefix { $0 != "\"" })
                    #expect(schemas[name] != nil, "\(name)")
                }
            }
        }
    }

    private func document(_ server: TestServer, _ admin: AdminClient) async throws -> JSONValue {
        let answer = try await admin.client.send("GET", server.baseURL + "/api/v1/openapi.json")
        #expect(answer.status == 200)
        return try JSONValue(parsing: answer.body, limits: .adminBody)
    }

    /// Puts something behind each path, and says what stands for each parameter.
    private func prepare(_ admin: AdminClient, _ device: PlayedDevice) async throws -> [String: String] {
        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
        let id = device.identifier.key
        let status = #"{"StatusItems":{"device":{"model":{"family":"Test"}}},"Errors":[]}"#
        #expect(try await device.ask(.status, Data(status.utf8)).status == 200)
        let sent = try await admin.send("POST", "/devices/\(id)/commands", CommandRequest(requestType: "ProfileList"))
        let command = try AdminJSON.decode(CommandSummary.self, from: sent.body)
        return [
            "group": "teachers", "app": "org.swift.landmarks", "name": "default", "version": "1", "device": id,
            "uuid": command.uuid, "id": "none",
        ]
    }

    /// Holds a value against a schema: types and required members, all the way down.
    private func check(_ value: JSONValue, _ schema: JSONValue, _ document: JSONValue, at place: String) {
        if let reference = schema["$ref"]?.string, let name = reference.split(separator: "/").last {
            let named = document["components"]?["schemas"]?[String(name)]
            #expect(named != nil, "\(place): \(name)")
            if let named { check(value, named, document, at: place) }
            return
        }
        switch schema["type"]?.string {
        case "object":
            #expect(value.object != nil, "\(place)")
            for name in schema["required"]?.array?.compactMap(\.string) ?? [] {
                #expect(value[name] != nil, "\(place): \(name) is missing")
            }
            let properties = schema["properties"]?.object
            for (name, member) in value.object ?? [:] {
                if let described = properties?[name] {
                    check(member, described, document, at: "\(place).\(name)")
                } else if properties != nil {
                    Issue.record("\(place): \(name) is not described")
                }
            }
        case "array":
            #expect(value.array != nil, "\(place)")
            for element in value.array ?? [] {
                if let items = schema["items"] { check(element, items, document, at: place + "[]") }
            }
        case "string": #expect(value.string != nil, "\(place)")
        case "integer": #expect(value.int != nil, "\(place)")
        case "boolean": #expect(value.bool != nil, "\(place)")
        default: break
        }
    }
}
