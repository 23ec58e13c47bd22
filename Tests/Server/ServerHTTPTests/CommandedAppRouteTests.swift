import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Apps that are managed by command, as administrators send to them and see them.
struct CommandedAppRouteTests {
    private static let app = "com.example.old"

    private static func with(
        _ body: @escaping @Sendable (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await body(server, admin, device)
                }
            }
        }
    }

    private static func report(_ status: CommandedAppStatus, _ device: PlayedDevice) async throws {
        var report = StatusReport(fullReport: true)
        report.set(.array([status.value]), at: CommandedAppStatus.name)
        #expect(try await device.ask(.status, report.encoded()).status == 200)
    }

    @Test func aDeviceShowsByWhatEachAppIsManaged() async throws {
        try await Self.with { (server, admin, device) async throws in
            let id = device.identifier.key
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            let status = CommandedAppStatus(
                identifier: Self.app, name: "<Old>", version: "1.0", state: "managed", hasConfiguration: true,
                hasFeedback: true)
            try await Self.report(status, device)
            let detail: DeviceDetail = try await admin.get("/devices/\(id)")
            #expect(detail.apps.map(\.identifier) == [Self.app, "org.swift.landmarks"])
            #expect(detail.apps.map(\.managedBy) == ["command", "declaration"])
            let own = try #require(detail.apps.first)
            #expect(own.state == "managed" && own.hasConfiguration == true && own.hasFeedback == true)
            #expect(detail.apps.last?.hasConfiguration == nil)
            let effective: DeviceEffective = try await admin.get("/devices/\(id)/effective")
            #expect(effective.commanded?.map(\.identifier) == [Self.app])
            let one: DeviceEffective = try await admin.get("/devices/\(id)/effective?app=\(Self.app)")
            #expect(one.apps.isEmpty && one.commanded?.count == 1)
            #expect(try await admin.send("GET", "/devices/\(id)/effective?app=none").status == 404)
            try await ConsoleBrowser.with(server) { (browser) async throws in
                try await browser.signIn()
                let page = try await browser.get("/console/devices/\(id)").text
                #expect(page.contains("Managed by command, with a configuration; feedback waits on the device"))
                #expect(page.contains("By command") && page.contains("&lt;Old&gt;") && !page.contains("<Old>"))
            }
        }
    }

    /// The answer says what there is to say of a configuration; what the app would refuse, and what looks like a secret,
    /// is sent only by force.
    @Test func aConfigurationInACommandIsJudged() async throws {
        try await Self.with { (server, admin, device) async throws in
            let commands = "/devices/\(device.identifier.key)/commands"
            let old = AdminMessages.App(bundleIdentifier: Self.app, name: "Old")
            let put = try await admin.send("PUT", "/apps/\(Self.app)", old)
            #expect(put.status == 200)
            let specification = #"""
                {"x-app": {"bundleIdentifier": "com.example.old"}, "type": "object",
                 "properties": {"minutes": {"type": "integer", "maximum": 60}}}
                """#
            let published = try await admin.send(
                "PUT", "/apps/\(Self.app)/specifications/1.0", headers: ["Content-Type": "application/json"],
                body: Data(specification.utf8))
            #expect(published.status == 200)
            func send(_ entries: [String: PropertyListValue], _ query: String = "") async throws -> Answer {
                let settings = AppSettings(items: [.configuration(app: Self.app, .dictionary(entries))])
                let document = try Command(uuid: "U", request: settings.request).encoded()
                return try await admin.send("POST", commands + query, body: document)
            }
            let suspected = try await send(["apiToken": .string("hunter2")])
            let problem = try AdminJSON.decode(Problem.self, from: suspected.body)
            #expect(suspected.status == 422 && problem.findings?.map(\.path) == ["apiToken"], "\(suspected.text)")
            #expect(problem.findings?.first?.rule == "suspectedSecret" && !suspected.text.contains("hunter2"))
            #expect(server.management.secretRefusals.count(.suspected) == 1)
            let warned = try await send(["apiToken": .string("hunter2")], "?force=true")
            let summary = try AdminJSON.decode(CommandSummary.self, from: warned.body)
            #expect(warned.status == 201 && summary.warnings?.contains { $0.contains("“apiToken”") } == true)
            #expect(!warned.text.contains("hunter2"))
            let refused = try await send(["minutes": .integer(61)])
            #expect(refused.status == 422 && refused.text.contains("minutes"), "\(refused.text)")
            #expect(try await send(["minutes": .integer(61)], "?force=true").status == 201)
            let fine = try await send(["minutes": .integer(60)])
            #expect(try AdminJSON.decode(CommandSummary.self, from: fine.body).warnings == nil)
        }
    }
}
