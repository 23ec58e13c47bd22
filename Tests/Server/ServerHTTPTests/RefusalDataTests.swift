import AdminMessages
import Foundation
import Testing

/// What programs read of a refusal beside its sentence.
@Suite struct RefusalDataTests {
    private static let app = "/apps/org.swift.landmarks"

    private func withLandmarks(_ body: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await body(admin)
            }
        }
    }

    /// Red where a program had to compare sentences to know what is not there.
    @Test func whatIsNotThereHasItsKind() async throws {
        let places: [(path: String, kind: MissingKind)] = [
            ("/groups/nosuch", .group), ("/apps/nosuch", .app), ("/devices/nosuch", .device),
            ("/people/nosuch", .person), ("/secrets/nosuch", .secret), ("/jobs/nosuch", .job),
            ("/webhooks/nosuch", .webhook), ("/assignments/teachers/nosuch", .assignment),
            (Self.app + "/configurations/nosuch", .configuration),
            (Self.app + "/configurations/default/versions/9", .configurationVersion),
        ]
        try await withLandmarks { admin in
            for place in places {
                let answer = try await admin.send("GET", place.path)
                let problem = try AdminJSON.decode(Problem.self, from: answer.body)
                #expect(answer.status == 404 && problem.missing == place.kind, "\(place.path): \(answer.text)")
                #expect(problem.code == "not-found")
            }
            let used = try await admin.send("DELETE", "/groups/teachers")
            let problem = try AdminJSON.decode(Problem.self, from: used.body)
            #expect(used.status == 409 && problem.missing == nil, "\(used.text)")
        }
    }

    /// What a body names has its kind, too.
    @Test func aConfigurationThatIsNotThereIsNotAssigned() async throws {
        try await withLandmarks { admin in
            let answer = try await admin.send(
                "PUT", "/assignments/teachers/org.swift.landmarks", AssignmentRequest(configuration: "nosuch"))
            let problem = try AdminJSON.decode(Problem.self, from: answer.body)
            #expect(answer.status == 404 && problem.missing == .configuration, "\(answer.text)")
        }
    }

    /// Red where a key that the app ignores looked like one for which it refuses the configuration.
    @Test func aWarningAmongWhatIsRefusedIsMarked() async throws {
        let specification = #"""
            {"x-app": {"bundleIdentifier": "org.swift.landmarks"},
             "properties": {"title": {"type": "string", "maxLength": 3}}}
            """#
        let configuration = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>title</key><string>longer</string><key>tilte</key><string>a</string>
            </dict></plist>
            """
        try await withLandmarks { admin in
            let put = try await admin.send(
                "PUT", Self.app + "/specifications/1.0", headers: ["Content-Type": "application/json"],
                body: Data(specification.utf8))
            #expect(put.status == 200, "\(put.text)")
            let refused = try await admin.send(
                "PUT", Self.app + "/configurations/default", body: Data(configuration.utf8))
            let problem = try AdminJSON.decode(Problem.self, from: refused.body)
            #expect(refused.status == 422 && problem.findings?.map(\.path) == ["title", "tilte"], "\(refused.text)")
            let severities: [FindingSeverity?] = [nil, .warning]
            #expect(problem.findings?.map(\.severity) == severities, "\(refused.text)")
        }
    }
}
