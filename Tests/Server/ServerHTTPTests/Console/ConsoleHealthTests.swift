import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// S4-GOAL-08: each state of an app is told apart, a state has its name only while it holds, and a fleet in order ends at 0.
@Suite("Console: how apps fare")
struct ConsoleHealthTests {
    private static let app = "org.swift.landmarks"

    private static func status(
        _ config: String?, state: String = "managed", _ codes: String...
    ) -> AppStatus {
        AppStatus(
            identifier: app, shortVersion: "1.1", state: state,
            configState: config.map { AppStatus.ConfigState(app: $0) },
            reasons: codes.map { StatusReason(code: $0) })
    }

    private static let steps: [(AppStatus, badge: String, count: String)] = [
        (status(nil, state: "downloading"), "Not on all devices yet", "waiting"),
        (status(nil, state: "failed", "Error.InstallFailed"), "Installation failed", "failed"),
        (status("unknown"), "Configuration not read yet", "unknown"),
        (status("invalid", AppStatus.configurationRefused), "Refuses its configuration", "refused"),
        (status("valid", AppStatus.configurationNotApplied), "Newest version not applied", "unapplied"),
        (status("valid", AppStatus.secretUnavailable), "Something is withheld", "withheld"),
    ]

    @Test("a state is named only while it holds, and a fleet in order ends at 0")
    func eachState() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        func page() async throws -> String {
                            try await browser.get("/console/apps/\(Self.app)").text
                        }
                        func states() async throws -> AppStates { try await admin.get("/apps/\(Self.app)/states") }
                        let first = try await states()
                        #expect(first.unreported == 1 && first.notInOrder == 1)
                        #expect(try await page().contains("Not reported yet"))
                        for (status, badge, count) in Self.steps {
                            try await Self.report(status, device)
                            let (page, overview) = (try await page(), try await browser.get("/console").text)
                            #expect(page.contains(badge) && overview.contains(badge), "\(badge)")
                            #expect(!page.contains(">Working<") && !overview.contains(">Working<"), "\(badge)")
                            #expect(overview.contains("is not in order on 1 device."), "\(badge)")
                            #expect(try await states().states.all.filter { $0.devices > 0 }.map(\.name) == [count])
                            #expect(try await states().notInOrder == 1)
                        }
                        try await Self.report(Self.status("valid"), device)
                        let (page, overview) = (try await page(), try await browser.get("/console").text)
                        #expect(page.contains("Working") && overview.contains("Working"))
                        #expect(!overview.contains("not in order on"))
                        let last = try await states()
                        #expect(last.notInOrder == 0 && last.states.decoded == 1)
                    }
                }
            }
        }
    }

    @Test("a device's page names the secret that is missing and why, also beside a refusal")
    func missingSecret() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        var status = Self.status("invalid", AppStatus.configurationRefused)
                        let details: [String: JSONValue] = [
                            "Kind": .string("identity"), "Identifier": .string("asset-server"),
                            "Error": .string("this device has no chip for that"),
                        ]
                        status.reasons.append(
                            StatusReason(
                                code: AppStatus.secretUnavailable, description: "The device could not get a secret.",
                                details: .object(details)))
                        try await Self.report(status, device)
                        let page = try await browser.get("/console/devices/\(device.identifier.id)").text
                        #expect(page.contains("the identity “asset-server”: this device has no chip for that."))
                        #expect(page.contains("Refuses its configuration"))
                    }
                }
            }
        }
    }

    @Test("an app is not called working while a device that gets it never reported it")
    func unreported() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (first) async throws in
                    try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (second) async throws in
                        try await ConsoleBrowser.with(server) { (browser) async throws in
                            try await browser.signIn()
                            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                            try await Self.report(Self.status("valid"), first)
                            let before = try await browser.get("/console").text
                            #expect(before.contains("Not reported yet") && !before.contains(">Working<"))
                            #expect(before.contains("is not in order on 1 device."))
                            // Red where the first page says how many have it, and not of how many.
                            #expect(before.contains(Self.cell("1 of 2")), "\(before)")
                            try await Self.report(Self.status("valid"), second)
                            let after = try await browser.get("/console").text
                            #expect(after.contains(">Working<") && !after.contains("not in order on"))
                            #expect(after.contains(Self.cell("2")), "\(after)")
                        }
                    }
                }
            }
        }
    }

    @Test("one enrollment code waits, two codes wait")
    func plural() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    #expect(try await browser.post("/console/groups", ["name": "teachers"]).status == 303)
                    for text in ["1 enrollment code waits to be used", "2 enrollment codes wait to be used"] {
                        let made = try await browser.post(
                            "/console/enrollment", ["group": "teachers", "valid": "3600", "ownership": "organization"])
                        #expect(made.status < 400, "\(made.text)")
                        let overview = try await browser.get("/console").text
                        #expect(overview.contains(text))
                    }
                }
            }
        }
    }

    /// Red where the command line's overview alone says that a device left.
    @Test("devices that left are counted on the first page")
    func left() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        let before = try await browser.get("/console").text
                        #expect(!before.contains("<span class=\"what\">left</span>"))
                        let left = try await device.checkIn(
                            .checkOut(CheckOut(identifier: device.identifier, topic: device.topic)))
                        #expect(left.status == 200)
                        let after = try await browser.get("/console").text
                        #expect(after.contains("<span class=\"what\">left</span>"))
                        let link = "/devices?state=checkedOut\"><span class=\"count\">1</span>"
                        #expect(after.contains(link), "\(after)")
                    }
                }
            }
        }
    }

    /// On how many devices an app is, as the list of apps has it.
    private static func cell(_ devices: String) -> String {
        "data-label=\"Devices\"><div><span class=\"number\">\(devices)</span></div>"
    }

    private static func report(_ status: AppStatus, _ device: PlayedDevice) async throws {
        var report = StatusReport(fullReport: true)
        report.set(.array([status.value]), at: AppStatus.name)
        #expect(try await device.ask(.status, report.encoded()).status == 200)
    }
}
