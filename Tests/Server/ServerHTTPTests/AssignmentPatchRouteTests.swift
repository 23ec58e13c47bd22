import AdminMessages
import Foundation
import Testing

/// `PATCH` of an assignment over the wire: what it does not mention stays.
struct AssignmentPatchRouteTests {
    private static let place = "/assignments/teachers/org.swift.landmarks"
    private static let mergePatch = ["Content-Type": "application/merge-patch+json"]

    private func with(_ body: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await body(admin)
            }
        }
    }

    private func patch(
        _ text: String, _ admin: AdminClient, query: String = "", headers: [String: String] = [:]
    ) async throws -> Answer {
        try await admin.send(
            "PATCH", Self.place + query, headers: Self.mergePatch.merging(headers) { $1 }, body: Data(text.utf8))
    }

    /// Red: there was no `PATCH`, and a `PUT` that raised the priority took the configuration away.
    @Test func whatIsNotMentionedStaysAndNullTakesAway() async throws {
        try await with { admin in
            let raised = try await patch(#"{"priority": 10, "lowestTrust": "verified"}"#, admin)
            try #require(raised.status == 200, "\(raised.text)")
            let answer = try AdminJSON.decode(Assignment.self, from: raised.body)
            #expect(answer.changed == ["lowestTrust", "priority"] && answer.configuration == "default")
            let extended = try await patch(
                #"{"extensions": {"org.swift.landmarks.a": "default", "org.swift.landmarks.b": "default"}}"#, admin)
            #expect(extended.status == 200, "\(extended.text)")
            #expect(try await patch(#"{"extensions": {"org.swift.landmarks.a": null}}"#, admin).status == 200)
            #expect(try await patch(#"{"configuration": null, "lowestTrust": null}"#, admin).status == 200)
            let kept: Assignment = try await admin.get(Self.place)
            #expect(
                kept
                    == Assignment(
                        group: "teachers", app: "org.swift.landmarks",
                        extensions: ["org.swift.landmarks.b": "default"], priority: 10))
        }
    }

    @Test func whatIsSaidAlreadyChangesNothingAndADryRunNeither() async throws {
        try await with { admin in
            let before = try await admin.send("GET", Self.place)
            let same = try await patch(#"{"configuration": "default"}"#, admin)
            #expect(try AdminJSON.decode(Assignment.self, from: same.body).changed == [])
            let dry = try await patch(#"{"priority": 5}"#, admin, query: "?dryRun=true")
            #expect(try AdminJSON.decode(Assignment.self, from: dry.body).changed == ["priority"])
            #expect(try await admin.send("GET", Self.place).body == before.body)
        }
    }

    @Test func whereNothingIsAssignedItIsMade() async throws {
        try await with { admin in
            #expect(try await admin.send("DELETE", Self.place).status == 204)
            let made = try await patch(#"{"configuration": "default"}"#, admin, headers: ["If-None-Match": "*"])
            #expect(made.status == 200, "\(made.text)")
            let answer = try AdminJSON.decode(Assignment.self, from: made.body)
            #expect(answer.changed == nil && answer.configuration == "default")
            let nowhere = try await admin.send(
                "PATCH", "/assignments/nobody/org.swift.landmarks", headers: Self.mergePatch, body: Data("{}".utf8))
            #expect(nowhere.status == 404)
        }
    }

    @Test func aConditionIsObeyed() async throws {
        try await with { admin in
            let tag = try #require(try await admin.send("GET", Self.place).headers["etag"])
            #expect(try await patch("{}", admin, headers: ["If-None-Match": "*"]).status == 412)
            #expect(try await patch(#"{"priority": 1}"#, admin, headers: ["If-Match": tag]).status == 200)
            let late = try await patch(#"{"priority": 2}"#, admin, headers: ["If-Match": tag])
            #expect(late.status == 412 && late.text.contains("You changed it yourself"), "\(late.text)")
            #expect(try await patch(#"{"priority": 3}"#, admin, headers: ["If-Match": "*"]).status == 200)
        }
    }

    @Test(
        arguments: [
            (#"{"color": "red"}"#, 422), (#"{"priority": "high"}"#, 400), (#"{"priority": 1001}"#, 422),
            (#"{"lowestTrust": "some"}"#, 422), (#"{"configuration": "none"}"#, 404), (#"{"delivery": "post"}"#, 422),
            (#"{"extensions": {"org.swift.other.x": "default"}}"#, 422), (#"{"extensions": {"a": 1}}"#, 400),
            ("[]", 400),
        ] as [(String, UInt)])
    func whatBreaksARuleIsRefused(text: String, status: UInt) async throws {
        try await with { admin in
            let refused = try await patch(text, admin)
            #expect(refused.status == status, "\(refused.text)")
            #expect(try await admin.get(Self.place, Assignment.self).configuration == "default")
        }
    }

    /// A program that says `application/json` is understood; what is no JSON is not.
    @Test func bothMediaTypesOfAPatchAreTaken() async throws {
        try await with { admin in
            for (type, status) in [("application/json", 200), ("text/plain", 415)] as [(String, UInt)] {
                let answer = try await patch("{}", admin, headers: ["Content-Type": type])
                #expect(answer.status == status)
            }
        }
    }

    /// An owner of apps changes what they may assign, and nothing else.
    @Test func itAsksForTheSameRightAsAssigning() async throws {
        try await with { admin in
            #expect(try await admin.send("POST", "/groups", Group(name: "pupils")).status == 201)
            let wish = TokenRequest(
                name: "mine", validSeconds: 600, role: .appOwner, apps: ["org.swift.landmarks"], groups: ["teachers"])
            let made = try await admin.send("POST", "/tokens", wish)
            let token = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
            let owner = AdminClient(client: admin.client, base: admin.base, token: token)
            #expect(try await patch(#"{"priority": 1}"#, owner).status == 200)
            let foreign = try await owner.send(
                "PATCH", "/assignments/pupils/org.swift.landmarks", headers: Self.mergePatch, body: Data("{}".utf8))
            #expect(foreign.status == 403)
        }
    }
}
