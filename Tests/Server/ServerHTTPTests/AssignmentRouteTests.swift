import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What is said with an assignment over the wire, and what devices are told of it.
struct AssignmentRouteTests {
    private func with(_ body: (TestServer, AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await body(server, admin)
            }
        }
    }

    /// The least trust stands in the declaration of devices with Linux, and only where it is not the highest.
    @Test func theLowestTrustReachesDevicesWithLinux() async throws {
        try await with { server, admin in
            func trust(_ platform: DevicePlatform?) async throws -> String? {
                let audience = DeviceAudience(platform: platform, osVersion: SystemVersion("27"))
                let manifest = try await server.management.manifest(of: ["teachers"], for: audience)
                let document = try #require(manifest.declarations["configuration/martlet.app.org.swift.landmarks"])
                return try Declaration(parsing: document).payload["MartletLowestTrust"]?.string
            }
            let place = "/assignments/teachers/org.swift.landmarks"
            #expect(try await trust(.linux) == nil)
            let wish = AssignmentRequest(configuration: "default", lowestTrust: "shared")
            #expect(try await admin.send("PUT", place, wish).status == 200)
            let kept: AdminMessages.Assignment = try await admin.get(place)
            #expect(kept.lowestTrust == "shared")
            #expect(try await trust(.linux) == "shared")
            #expect(try await trust(.macOS) == nil)
            #expect(try await admin.send("PUT", place, AssignmentRequest(lowestTrust: "none")).status == 422)
            #expect(try await admin.send("PUT", place, AssignmentRequest(lowestTrust: "launched")).status == 200)
            #expect(try await trust(.linux) == nil)
        }
    }

    /// A client from before there was a delivery says nothing of it: a change leaves it, a new assignment has the usual.
    @Test func theDeliveryIsShownAndStaysWhereItIsNotMentioned() async throws {
        try await with { server, admin in
            let place = "/assignments/teachers/org.swift.landmarks"
            func asset() async throws -> String? {
                let manifest = try await server.management.manifest(of: ["teachers"], for: DeviceAudience())
                let document = try #require(manifest.declarations["configuration/martlet.app.org.swift.landmarks"])
                return try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
                    .legacyAppConfigAssetReference
            }
            #expect(try await admin.get(place, AdminMessages.Assignment.self).delivery == nil)
            let wish = AssignmentRequest(configuration: "default", delivery: "defaults")
            #expect(try await admin.send("PUT", place, wish).status == 200)
            #expect(try await asset() == "martlet.data.org.swift.landmarks")
            let patch = Data(#"{"priority": 3}"#.utf8)
            let type = ["Content-Type": "application/merge-patch+json"]
            #expect(try await admin.send("PATCH", place, headers: type, body: patch).status == 200)
            let kept: AdminMessages.Assignment = try await admin.get(place)
            #expect(kept.delivery == "defaults" && kept.priority == 3)
            let refused = try await admin.send("PUT", place, AssignmentRequest(delivery: "post"))
            #expect(refused.status == 422 && refused.text.contains("framework, defaults, both"), "\(refused.text)")
            #expect(try await admin.send("PUT", place, AssignmentRequest(configuration: "default")).status == 200)
            #expect(try await asset() == nil)
        }
    }

    /// A17: what a version on the group's devices would refuse is a problem with its findings, in both ways there.
    @Test func whatBreaksAVersionOnDevicesIsAProblemThatNamesIt() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    let app = "/apps/org.swift.landmarks"
                    for (version, length) in [("1.0", 3), ("2.0", 9)] {
                        let text =
                            #"{"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "properties": "#
                            + #"{"title": {"type": "string", "maxLength": \#(length)}}, "#
                            + #""x-secrets": [{"kind": "identity", "identifier": "id", "required": true}]}"#
                        let put = try await admin.send(
                            "PUT", app + "/specifications/\(version)", headers: ["Content-Type": "application/json"],
                            body: Data(text.utf8))
                        #expect(put.status == 200, "\(put.text)")
                    }
                    var report = StatusReport(fullReport: true)
                    let status = AppStatus(identifier: "org.swift.landmarks", shortVersion: "1.0")
                    report.set(.array([status.value]), at: AppStatus.name)
                    #expect(try await device.ask(.status, report.encoded()).status == 200)

                    let longer = AdminClient.configuration(title: "longer")
                    let refused = try await admin.send("PUT", app + "/configurations/default", body: longer)
                    #expect(refused.status == 422)
                    let problem = try AdminJSON.decode(Problem.self, from: refused.body)
                    let versions = [AppVersionSummary(version: "1.0", devices: 1)]
                    #expect(problem.findings?.map(\.versions) == [versions])
                    #expect(problem.findings?.first?.sentence.hasSuffix("(version 1.0 on 1 device)") == true)
                    let dry = try await admin.send(
                        "POST", app + "/configuration-check?configuration=default", body: longer)
                    let check = try AdminJSON.decode(ConfigurationCheck.self, from: dry.body)
                    #expect(check.errors.map(\.versions) == [versions])
                    #expect(check.warnings.map { $0.contains("does not give the app the identity “id”") } == [true])
                    let forced = try await admin.send(
                        "PUT", app + "/configurations/default?force=true", body: longer)
                    #expect(forced.status == 200)

                    let place = "/assignments/teachers/org.swift.landmarks"
                    let wish = AssignmentRequest(configuration: "default")
                    for query in ["", "?dryRun=true"] {
                        let answer = try await admin.send("PUT", place + query, wish)
                        #expect(answer.status == 422)
                        let problem = try AdminJSON.decode(Problem.self, from: answer.body)
                        #expect(problem.findings?.map(\.versions) == [versions])
                    }
                    let made = try await admin.send("PUT", place + "?force=true", wish)
                    let assignment = try AdminJSON.decode(AdminMessages.Assignment.self, from: made.body)
                    #expect(assignment.warnings?.count == 2, "\(made.text)")
                }
            }
        }
    }

    /// S4-FLOW-04: what its extensions get is said with the app's assignment, and shown with it.
    @Test func extensionsAreGivenConfigurationsByTheirAppsAssignment() async throws {
        try await with { server, admin in
            let (app, place) = ("org.swift.landmarks", "/assignments/teachers/org.swift.landmarks")
            func send(_ extensions: [String: String]) async throws -> UInt {
                try await admin.send(
                    "PUT", place, AssignmentRequest(configuration: "default", extensions: extensions)
                ).status
            }
            let manifest = { () async throws -> [String]? in
                let found = try await server.management.manifest(of: ["teachers"], for: DeviceAudience())
                let document = found.declarations["configuration/martlet.app.\(app)"]
                let payload = try document.map { try Declaration(parsing: $0).payload }
                return payload?["ExtensionConfigs"]?.object?.keys.sorted()
            }
            #expect(try await send(["\(app).tunnel": "default"]) == 200)
            let kept: AdminMessages.Assignment = try await admin.get(place)
            #expect(kept.extensions == ["\(app).tunnel": "default"])
            #expect(try await manifest()?.count == 1)
            #expect(try await send(["org.swift.other.tunnel": "default"]) == 422)
            #expect(try await send([app: "default"]) == 422)
            #expect(try await send(["\(app).tunnel": "none"]) == 404)
            let many = Dictionary(uniqueKeysWithValues: (0...32).map { ("\(app).x\($0)", "default") })
            #expect(try await send(many) == 422)
            #expect(try await admin.send("PUT", place, AssignmentRequest(configuration: "default")).status == 200)
            #expect(try await manifest() == nil)
        }
    }
}
