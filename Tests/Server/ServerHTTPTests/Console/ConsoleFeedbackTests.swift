import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What apps count is on the pages of the app and of the device.
@Suite("Console: feedback")
struct ConsoleFeedbackTests {
    private static let specification = Data(
        #"""
        {"type": "object", "x-app": {"bundleIdentifier": "a.b", "version": "1"},
         "x-feedback": [{"key": "failureCount", "title": "Pages <not> loaded", "purpose": "To find devices."}]}
        """#.utf8)

    private static func report() throws -> Data {
        let words = PropertyListValue.dictionary([
            "failureCount": .integer(7), "lastError": .string("<script>alert(1)</script>"),
        ])
        let now = Date()
        let element = AppFeedbackStatus(life: "one", app: "a.b", feedback: words.xml(), from: now, to: now)
        var report = StatusReport()
        report.set(.array([element.value]), at: AppFeedbackStatus.name)
        return report.encoded()
    }

    @Test("sums, the devices with most of a number and hand-overs are shown, named by the specification and escaped")
    func feedbackIsShown() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let id = device.identifier.key
                    #expect(
                        try await admin.send("PUT", "/apps/a.b", App(bundleIdentifier: "a.b", name: "A")).status == 200)
                    let set = try await admin.send(
                        "PUT", "/apps/a.b/specifications/1", headers: ["Content-Type": "application/json"],
                        body: Self.specification)
                    #expect(set.status == 200)
                    #expect(try await device.ask(.status, Self.report()).status == 200)
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        let app = try await browser.get("/console/apps/a.b").text
                        #expect(app.contains("Pages &lt;not&gt; loaded") && app.contains("To find devices."))
                        #expect(app.contains("href=\"/console/apps/a.b?feedback=failureCount\""))
                        #expect(!app.contains("Devices with most of"))
                        let chosen = try await browser.get("/console/apps/a.b?feedback=failureCount").text
                        #expect(chosen.contains("Devices with most of Pages &lt;not&gt; loaded"))
                        #expect(chosen.contains("href=\"/console/devices/\(id)\""))
                        #expect(chosen.contains("Pages &lt;not&gt; loaded by day") && !app.contains("by day"))
                        #expect(!app.contains("name=\"feedback-since\""), "there is no version to choose")
                        let set = try await admin.send(
                            "PUT", "/apps/a.b/configurations/main", body: AdminClient.configuration(title: "one"))
                        #expect(set.status < 300, "\(set.text)")
                        let place = "/console/apps/a.b?feedback=failureCount&feedback-since="
                        let since = try await browser.get(place + "1:main").text
                        #expect(since.contains("<option value=\"1:main\" selected>main, version 1 or later</option>"))
                        #expect(since.contains("Nothing was counted with this version or a later one"))
                        #expect(since.contains("left out because the server does not know their version: 1."))
                        for query in ["", "1:gone", "0:main"] {
                            let all = try await browser.get(place + query).text
                            #expect(all.contains("href=\"/console/devices/\(id)\"") && all.contains("1:main"))
                        }
                        let page = try await browser.get("/console/devices/\(id)").text
                        #expect(page.contains("Latest hand-overs") && !page.contains("<script>alert"))
                        // The played device does not say the feature, and is not asked.
                        #expect(try await browser.post("/console/devices/\(id)/feedback").status == 422)
                    }
                }
            }
        }
    }
}
