import Foundation
import InputBounds
import Testing

/// The conditions and keys that the API's description names are those that its routes obey.
@Suite struct OpenAPIConditionTests {
    private struct Operation {
        let name: String
        let method: String
        let path: String
        let description: JSONValue

        var headers: [String] {
            (description["parameters"]?.array ?? []).filter { $0["in"]?.string == "header" }
                .compactMap { $0["name"]?.string }
        }
        var isOpen: Bool { description["security"] == nil }
        var isChange: Bool { method != "GET" }

        func describes(_ status: Int) -> Bool { description["responses"]?["\(status)"] != nil }
    }

    private func operations(_ admin: AdminClient) async throws -> [String: Operation] {
        let answer = try await admin.client.send("GET", admin.base + "/openapi.json")
        let document = try JSONValue(parsing: answer.body, limits: .adminBody)
        return Dictionary(
            uniqueKeysWithValues: (document["paths"]?.object ?? [:]).flatMap { path, operations in
                (operations.object ?? [:]).map { method, description in
                    let name = description["operationId"]?.string ?? ""
                    return (
                        name, Operation(name: name, method: method.uppercased(), path: path, description: description)
                    )
                }
            })
    }

    /// Every operation is asked with each condition: where it is described it is obeyed, and nowhere is one passed over.
    @Test func everyConditionIsObeyedWhereItIsDescribedAndRefusedWhereNot() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let all = try await operations(admin)
                    let token = try await admin.signIn("ben", server, group: "others")
                    let personal = try await PlayedDevice.byAccount(token, server, device.client)
                    var script = try await Script(admin, device, personal: personal)
                    var obeyed = 0
                    while let step = script.next() {
                        let operation = try #require(all[step.operation])
                        let path = script.fill(operation.path, of: step)
                        var asked = step
                        if operation.isChange, !operation.isOpen {
                            try await expectRefused(asked, operation, path, admin)
                            asked.headers.merge(try await condition(operation, path, admin)) { $1 }
                        }
                        var answer = try await send(asked, operation, path, admin)
                        // What is looked at may go on by itself: a job, a webhook.
                        for _ in 0..<20 where answer.status == 412 {
                            asked.headers.merge(try await condition(operation, path, admin)) { $1 }
                            answer = try await send(asked, operation, path, admin)
                        }
                        #expect(
                            (200..<300).contains(answer.status), "\(operation.name) \(asked.headers): \(answer.text)")
                        if asked.headers["If-Match"] != nil || asked.headers["If-None-Match"] != nil { obeyed += 1 }
                        if operation.isChange {
                            try await expectTagOfWhatIsThere(operation, path, admin, answer)
                        } else {
                            try await expectNotModified(step, operation, path, admin, answer)
                        }
                        try script.learn(from: answer, of: step)
                    }
                    #expect(obeyed >= 25, "\(obeyed)")
                }
            }
        }
    }

    /// A stale condition is refused with 412 where one is described and where none is; one that means nothing with 400.
    private func expectRefused(
        _ step: Script.Step, _ operation: Operation, _ path: String, _ admin: AdminClient
    ) async throws {
        var stale = step
        stale.headers["If-Match"] = "\"nothing-has-this\""
        #expect(try await send(stale, operation, path, admin).status == 412, "\(operation.name)")
        stale.headers["If-Match"] = "\"v999999\""
        #expect(try await send(stale, operation, path, admin).status == 412, "\(operation.name): no such version")
        if let seen = try await admin.send("GET", path).headers["etag"] {
            stale.headers["If-Match"] = "W/\(seen)"
            #expect(try await send(stale, operation, path, admin).status == 412, "\(operation.name): weak")
        }
        #expect(operation.describes(412), "\(operation.name)")
        #expect(
            operation.headers.contains("Idempotency-Key")
                == !["previewGroup", "uploadPackage", "checkConfiguration"].contains(operation.name),
            "\(operation.name)")
        var unclear = step
        unclear.headers["If-None-Match"] = "\"a\""
        #expect(try await send(unclear, operation, path, admin).status == 400, "\(operation.name)")
        guard ["PUT", "PATCH"].contains(operation.method), operation.headers.contains("If-Match") else {
            #expect(!operation.headers.contains("If-None-Match"), "\(operation.name)")
            return
        }
        #expect(operation.headers.contains("If-None-Match"), "\(operation.name)")
        guard try await admin.send("GET", path).status == 200 else { return }
        var absent = step
        absent.headers["If-None-Match"] = "*"
        #expect(try await send(absent, operation, path, admin).status == 412, "\(operation.name)")
    }

    /// The condition that holds now, as far as one is described and there is something to look at.
    private func condition(
        _ operation: Operation, _ path: String, _ admin: AdminClient
    ) async throws -> [String: String] {
        guard operation.headers.contains("If-Match") else { return [:] }
        let present = try await admin.send("GET", path)
        switch present.status {
        case 200: return ["If-Match": try #require(present.headers["etag"], "\(operation.name)")]
        case 404 where operation.headers.contains("If-None-Match"): return ["If-None-Match": "*"]
        default: return [:]
        }
    }

    /// An answer with a tag is not sent again to who has it, and says so with the tag.
    private func expectNotModified(
        _ step: Script.Step, _ operation: Operation, _ path: String, _ admin: AdminClient, _ answer: Answer
    ) async throws {
        let isDescribed = operation.headers.contains("If-None-Match")
        #expect(isDescribed == (answer.headers["etag"] != nil), "\(operation.name)")
        #expect(isDescribed == operation.describes(304), "\(operation.name)")
        guard isDescribed else { return }
        var again = step
        again.headers["If-None-Match"] = "*"
        let seen = try await send(again, operation, path, admin)
        #expect(seen.status == 304 && seen.body.isEmpty && seen.headers["etag"] != nil, "\(operation.name)")
    }

    /// The tag of a change's answer is described, and is that of what is there now, so that the next change is held to it.
    private func expectTagOfWhatIsThere(
        _ operation: Operation, _ path: String, _ admin: AdminClient, _ answer: Answer
    ) async throws {
        let isDescribed = operation.description["responses"]?["\(answer.status)"]?["headers"]?["ETag"] != nil
        #expect(isDescribed == (answer.headers["etag"] != nil), "\(operation.name)")
        guard isDescribed else { return }
        // What is done to a thing, such as a revert, is named below it.
        var present = try await admin.send("GET", path)
        if present.status != 200, let end = path.lastIndex(of: "/") {
            present = try await admin.send("GET", String(path[..<end]))
        }
        #expect(present.headers["etag"] == answer.headers["etag"], "\(operation.name)")
    }

    private func send(
        _ step: Script.Step, _ operation: Operation, _ path: String, _ admin: AdminClient
    ) async throws -> Answer {
        try await admin.send(operation.method, path, headers: step.headers, body: step.body)
    }
}
