import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// An alert on its way from a device's report to a receiver: `martlet webhook add … --event 'alert.*'`.
@Suite struct AlertRouteTests {
    private static let policy = AddressPolicy(allowed: [NetworkRange(parsing: "127.0.0.0/8")].compactMap { $0 })

    private static func report(_ state: String, marker: String) -> Data {
        var report = DeviceMessages.StatusReport()
        report.set(.array([AppStatus(identifier: "a.b", state: state).value]), at: AppStatus.name)
        report.set(.string(marker), at: "test.marker")
        return report.encoded()
    }

    /// Red if the report of a failed installation sends nothing, sends it twice, or leaves out the app and its state.
    @Test func aFailedInstallationIsSentOnce() async throws {
        try await TestServer.run(webhooks: Self.policy) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await WebhookReceiver.run { (receiver) async throws in
                        let app = AdminMessages.App(bundleIdentifier: "a.b", name: "A")
                        #expect(try await admin.send("PUT", "/apps/a.b", app).status == 200)
                        let wish = AdminMessages.WebhookRequest(
                            name: "tickets", url: receiver.url, events: ["alert.*", "group.create"])
                        try #require(try await admin.send("POST", "/webhooks", wish).status == 201)
                        for marker in ["first", "second"] {
                            #expect(try await device.ask(.status, Self.report("failed", marker: marker)).status == 200)
                        }
                        // What comes next shows that nothing was sent in between.
                        let group = AdminMessages.Group(name: "last")
                        #expect(try await admin.send("POST", "/groups", group).status == 201)
                        let events = try await receiver.events(2).map { String(decoding: $0.body, as: UTF8.self) }
                        let alert = try #require(events.first)
                        #expect(alert.contains("\"type\":\"alert.failed\""), "\(alert)")
                        #expect(alert.contains("\"app\":\"a.b\"") && alert.contains("\"state\":\"failed\""), "\(alert)")
                        #expect(alert.contains("\"device\":\"\(device.identifier.key)\""), "\(alert)")
                        #expect(events.last?.contains("\"subject\":\"last\"") == true)
                    }
                }
            }
        }
    }
}
