import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Feedback on its way from a device's report to a receiver, with the server's own sender.
@Suite struct WebhookFeedbackRouteTests {
    private static func report() throws -> Data {
        let now = Date()
        let status = AppFeedbackStatus(
            life: "l", app: WebhookScene.app,
            feedback: PropertyListValue.dictionary(["failureCount": .integer(3)]).xml(), from: now, to: now)
        var report = DeviceMessages.StatusReport()
        report.set(.array([status.value]), at: AppFeedbackStatus.name)
        return report.encoded()
    }

    /// Red if a report with feedback does not wake the sender, or if the event has no values.
    @Test func whoAskedForItHasTheValues() async throws {
        try await WebhookScene.run(events: [WebhookEvents.feedback]) { (scene) async throws in
            #expect(try await scene.device.ask(.status, Self.report()).status == 200)
            let event = try #require(try await scene.receiver.events(1).last)
            let text = String(decoding: event.body, as: UTF8.self)
            #expect(text.contains("\"app.feedback\"") && text.contains("\"failureCount\":3"), "\(text)")
            #expect(text.contains("\"app\":\"a.b\"") && text.contains("\"life\":\"l\""), "\(text)")
        }
    }
}
