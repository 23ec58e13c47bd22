import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Feedback on its way from a device's report to a receiver, with the server's own sender.
@Suite struct WebhookFeedbackRouteTests {
    private static let policy = AddressPolicy(allowed: [NetworkRange(parsing: "127.0.0.0/8")].compactMap { $0 })

    private static func report() throws -> Data {
        let now = Date()
        let status = AppFeedbackStatus(
            life: "l", app: "a.b", feedback: PropertyListValue.dictionary(["failureCount": .integer(3)]).xml(),
            from: now, to: now)
        var report = DeviceMessages.StatusReport()
        report.set(.array([status.value]), at: AppFeedbackStatus.name)
        return report.encoded()
    }

    /// Red if a report with feedback does not wake the sender, or if the event has no values.
    @Test func whoAskedForItHasTheValues() async throws {
        try await TestServer.run(webhooks: Self.policy) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await WebhookReceiver.run { (receiver) async throws in
                        let app = AdminMessages.App(bundleIdentifier: "a.b", name: "A")
                        #expect(try await admin.send("PUT", "/apps/a.b", app).status == 200)
                        let wish = AdminMessages.WebhookRequest(
                            name: "counts", url: receiver.url, events: [WebhookEvents.feedback])
                        try #require(try await admin.send("POST", "/webhooks", wish).status == 201)
                        #expect(try await device.ask(.status, Self.report()).status == 200)
                        let event = try #require(try await receiver.events(1).last)
                        let text = String(decoding: event.body, as: UTF8.self)
                        #expect(text.contains("\"app.feedback\"") && text.contains("\"failureCount\":3"), "\(text)")
                        #expect(text.contains("\"app\":\"a.b\"") && text.contains("\"life\":\"l\""), "\(text)")
                    }
                }
            }
        }
    }
}
