import AdminMessages
import DeviceMessages
import Testing
import Waiting

/// Which changes the console's first page lists as on their way to devices.
struct ConsoleArrivalTests {
    /// A change is listed as long as a device lacks it; with the last such device gone, none lacks it.
    ///
    /// Red where the list also has changes that no device lacks.
    @Test func aChangeThatNoDeviceLacksIsNotOnItsWay() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        _ = try await browser.signIn()
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        try await Self.expectList(true, browser)
                        let ended = try await admin.send("DELETE", "/devices/\(device.identifier.key)")
                        #expect(ended.status == 204)
                        try await Self.expectList(false, browser)
                        let overview: Overview = try await admin.get("/overview")
                        #expect(overview.changes?.isEmpty == false, "programs see that it arrived")
                    }
                }
            }
        }
    }

    private static func expectList(_ isThere: Bool, _ browser: ConsoleBrowser) async throws {
        try await eventually("the list of changes on their way is there: \(isThere)") { () -> Bool in
            try await browser.get("/console").text.contains("On the way to devices") == isThere
        }
    }
}
