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
                    let states: AppStates = try await admin.get(app + "/states")
                    #expect(states.states.refused == 1 && states.notInOrder == 1 && states.unreported == 0)
                    let overview: Overview = try await admin.get("/overview")
                    #expect(overview.apps.first?.states == states.states)
                    try await Self.expectFilters(server, admin, refusing: device)
                    for query in ["state=gone", "refusing=yes", "notSeenFor=0", "notSeenFor=1d", "notSeenFor=-1"] {
                        #expect(try await admin.send("GET", "/devices?\(query)").status == 400, "\(query)")
                    }
                    #expect(try await admin.send("GET", "/apps/none/states").status == 404)
                    #expect(try await admin.send("GET", "/apps/none/refusals").status == 404)
                    #expect(try await admin.send("GET", "/apps/none/versions").status == 404)
                }
            }
        }
    }

    @Test func aTrialsRefusalIsExplainedAsOneOfAConfiguration() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    let specification = #"""
                        {"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "x-extensions": {"org.swift.landmarks.x":
                         {"x-errors": [{"code": 100, "meaning": "Unknown.", "remedy": "Use a known one."}]}}}
                        """#
                    let put = try await admin.send(
                        "PUT", "/apps/org.swift.landmarks/specifications/1.1",
                        headers: ["Content-Type": "application/json"], body: Data(specification.utf8))
                    #expect(put.status == 200)
                    let capabilities = ClientCapabilities(
                        supportedFeatures: [TryConfiguration.feature: .object([:])], declarations: [:], statusItems: [])
                    var report = StatusReport(fullReport: true)
                    report.set(.array([Self.refused.value]), at: AppStatus.name)
                    report.set(capabilities.value, at: ClientCapabilities.name)
                    #expect(try await device.ask(.status, report.encoded()).status == 200)
                    let trials = "/devices/\(device.identifier.id)/apps/org.swift.landmarks/configuration-trials"
                    let part = "?extension=org.swift.landmarks.x"
                    let begun = try await admin.send(
                        "POST", trials + part, body: AdminClient.configuration(title: "two"))
                    #expect(begun.status == 201, "\(begun.text)")
                    let id = try #require(AdminJSON.decode(ConfigurationTrial.self, from: begun.body).id)
                    var command = try await device.report(.idle)
                    while let next = command, next.uuid != id { command = try await device.report(.acknowledged, next) }
                    let verdict = TrialVerdict.refused(DeviceMessages.TrialRefusal(code: 100))
                    _ = try await device.report(.acknowledged, command, contents: verdict.contents.dictionary ?? [:])
                    let ended: ConfigurationTrial = try await admin.get(trials + "/" + id + part)
                    let explanation = RefusalExplanation(
                        meaning: "Unknown.", remedy: "Use a known one.", specification: "1.1")
                    #expect(ended.state == .refused && ended.refusal?.explanation == explanation)
                    let unnamed: ConfigurationTrial = try await admin.get(trials + "/" + id)
                    #expect(unnamed.state == .refused && unnamed.refusal?.explanation == nil)
                }
            }
        }
    }

    /// Beside the device that refuses there is another one that does not.
    ///
    /// Red where a filter lets every device pass, or none.
    private static func expectFilters(
        _ server: TestServer, _ admin: AdminClient, refusing device: PlayedDevice
    ) async throws {
        try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
            let taken = AppStatus(
                identifier: "org.swift.landmarks", shortVersion: "1.1",
                configState: AppStatus.ConfigState(app: "valid"))
            var report = StatusReport(fullReport: true)
            report.set(.array([taken.value]), at: AppStatus.name)
            #expect(try await other.ask(.status, report.encoded()).status == 200)
            let (refusing, both) = ([device.identifier.key], [device.identifier.key, other.identifier.key].sorted())
            let lists: [(String, [String])] = [
                ("", both), ("refusing=true", refusing), ("refusing=false", both), ("state=enrolled", both),
                ("state=withdrawn", []), ("refusing=true&state=enrolled&group=teachers", refusing),
                ("group=teachers", both), ("notSeenFor=3600", []),
            ]
            for (query, found) in lists {
                let list: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices?\(query)")
                #expect(list.items.map(\.id).sorted() == found, "\(query)")
                #expect(list.items.allSatisfy { $0.refusals == (refusing.contains($0.id) ? 1 : 0) }, "\(query)")
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
