import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What devices say of an app, as administrators get it: A15, S4-SPEC-03.
struct FleetRouteTests {
    @Test func aRefusalIsExplainedOnTheDevicesPageAndInTheAppsList() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    let app = "/apps/org.swift.landmarks"
                    let specification = #"""
                        {"x-app": {"bundleIdentifier": "org.swift.landmarks"},
                         "x-errors": [{"code": 100, "name": "n", "meaning": "Unknown.", "remedy": "Use a known one."}]}
                        """#
                    let put = try await admin.send(
                        "PUT", app + "/specifications/1.0", headers: ["Content-Type": "application/json"],
                        body: Data(specification.utf8))
                    #expect(put.status == 200)
                    var report = StatusReport(fullReport: true)
                    report.set(.array([Self.refused.value]), at: AppStatus.name)
                    #expect(try await device.ask(.status, report.encoded()).status == 200)

                    let listed: AdminMessages.Page<ConfigurationRefusal> = try await admin.get(app + "/refusals")
                    let refusal = try #require(listed.items.first)
                    #expect(listed.items.count == 1 && refusal.devices == 1 && refusal.latest == refusal.since)
                    #expect(refusal.configurationName == "default" && refusal.groups == ["teachers"])
                    #expect(refusal.keyPath == "a.b" && refusal.keyPathSupplied == true && refusal.message == "no")
                    #expect(
                        refusal.explanation
                            == RefusalExplanation(
                                name: "n", meaning: "Unknown.", remedy: "Use a known one.", specification: "1.0",
                                isNearest: true))
                    let detail: DeviceDetail = try await admin.get("/devices/\(device.identifier.id)")
                    var own = try #require(detail.apps.first?.refusals?.first)
                    own.latest = refusal.latest
                    #expect(own == refusal)
                    let versions: AdminMessages.Page<AppVersionSummary> = try await admin.get(app + "/versions")
                    #expect(versions.items == [AppVersionSummary(version: "1.1", devices: 1, specification: "1.0")])
                    #expect(try await admin.send("GET", "/apps/none/refusals").status == 404)
                    #expect(try await admin.send("GET", "/apps/none/versions").status == 404)
                }
            }
        }
    }

    private static let refused = AppStatus(
        identifier: "org.swift.landmarks", shortVersion: "1.1",
        reasons: [
            StatusReason(
                code: AppStatus.configurationRefused,
                details: .object([
                    "Code": .integer(100), "Message": .string("no"), "KeyPath": .string("a.b"),
                    "KeyPathSupplied": .boolean(true),
                ]))
        ])
}
