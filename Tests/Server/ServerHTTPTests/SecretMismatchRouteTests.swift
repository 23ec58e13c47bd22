import AdminMessages
import Foundation
import Testing

@testable import martlet

/// A secret for which the app does not ask is refused: by the API, by its dry run, and by `martlet apply`.
@Suite struct SecretMismatchRouteTests {
    private static let app = "org.swift.landmarks"
    private static let specification = #"""
        {"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "x-secrets": [
           {"kind": "password", "identifier": "account"}, {"kind": "identity", "prefix": "vpn-"}]}
        """#

    /// A place in which the app does not look for a password.
    struct Place: Sendable {
        let identifier: String
        let rule: String
        /// What the command line prints.
        let sentence: String

        var path: [String] { ["secret-assignments", "teachers", SecretMismatchRouteTests.app, "password", identifier] }
    }

    private static let places = [
        Place(
            identifier: "acount", rule: "unknownSecret",
            sentence: #"acount: the app asks for no secret of this identifier. Did you mean "account"?"#),
        Place(
            identifier: "vpn-2", rule: "secretKind",
            sentence: "vpn-2: the app asks for an identity of this identifier; found a password"),
    ]

    /// Red where the dry run takes what is refused later, or keeps what it was only asked about.
    @Test func theAPIAndItsDryRunRefuseTheSame() async throws {
        let queries: [[(String, String)]] = [[("dryRun", "true")], []]
        try await Self.run { (_, tool) async throws in
            for place in Self.places {
                for query in queries {
                    let failure = try await Self.refusal(tool, place.path, query)
                    let told = try #require(failure, "\(place.identifier) \(query)")
                    #expect(told.status == .refused)
                    #expect(told.findings.map(\.rule) == [place.rule], "\(told)")
                    #expect(
                        told.text == """
                            martlet: The app does not ask for this secret.
                              \(place.sentence)
                            --force sets it nevertheless.
                            """)
                }
                #expect(try await Self.isAssigned(tool, place.path) == false)
                let forced = try await Self.refusal(tool, place.path, [("force", "true")])
                #expect(forced == nil, "\(place.identifier)")
                #expect(try await Self.isAssigned(tool, place.path))
            }
        }
    }

    @Test func aDryRunOfWhatTheAppAsksForKeepsNothing() async throws {
        try await Self.run { (_, tool) async throws in
            let path = ["secret-assignments", "teachers", Self.app, "password", "account"]
            let tried = try await Self.refusal(tool, path, [("dryRun", "true")])
            #expect(tried == nil)
            #expect(try await Self.isAssigned(tool, path) == false)
            let assigned = try await Self.refusal(tool, path, [])
            #expect(assigned == nil)
            #expect(try await Self.isAssigned(tool, path))
        }
    }

    /// Red where `martlet apply` plans an assignment in the middle of whose run the server refuses it.
    @Test(arguments: places) func applyFindsItBeforeAnythingIsChanged(place: Place) async throws {
        try await Self.run { (folder, tool) async throws in
            let secrets = #"[{"kind": "password", "identifier": "\#(place.identifier)", "secret": "wifi"}]"#
            let files = [
                "groups.json": #"[{"name": "teachers"}]"#,
                "apps/\(Self.app)/app.json": #"{"name": "Landmarks"}"#,
                "apps/\(Self.app)/assignments.json":
                    #"[{"group": "teachers", "configuration": "default", "secrets": \#(secrets)}]"#,
            ]
            for (path, text) in files {
                let file = folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
            let (wish, root) = try FleetDirectory.wish(at: folder.path)
            let client = FleetClient(server: tool, wish: wish, directory: root, isForced: false)
            let plan = try await client.plan(prune: false)
            #expect(plan.faults == [])
            let found = try await client.findings(in: plan)
            #expect(found.flatMap(\.check.errors).map(\.sentence) == [place.sentence], "\(found)")
            #expect(found.allSatisfy { !$0.isFinal }, "--force helps")
            #expect(try await Self.isAssigned(tool, place.path) == false)
        }
    }

    // MARK: help

    /// A server on which the app is assigned and says which secrets it asks for, an empty folder, and the command line's
    /// own client.
    private static func run(_ test: (URL, Server) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-fleet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let put = try await admin.send(
                    "PUT", "/apps/\(app)/specifications/1.0", headers: ["Content-Type": "application/json"],
                    body: Data(specification.utf8))
                try #require(put.status == 200, "\(put.text)")
                let secret = SecretRequest.password(PasswordSecret(userName: "guest", password: "planted"))
                let set = try await admin.send("PUT", "/secrets/wifi", secret)
                try #require(set.status == 200, "\(set.text)")
                try await admin.withCommandLine(server) { (tool) async throws in try await test(folder, tool) }
            }
        }
    }

    /// Why the secret is not assigned; nothing where it is.
    private static func refusal(
        _ tool: Server, _ path: [String], _ query: [(String, String)]
    ) async throws -> Failure? {
        do {
            _ = try await tool.send(
                .put, path, query: query, body: .init(json: SecretAssignmentRequest(secret: "wifi")))
            return nil
        } catch let failure as Failure {
            return failure
        }
    }

    private static func isAssigned(_ tool: Server, _ path: [String]) async throws -> Bool {
        try await tool.present(at: path) != nil
    }
}
