import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// An alert on its way from a device's report to a receiver: `martlet webhook add … --event 'alert.*'`.
@Suite struct AlertRouteTests {
    private static func report(_ state: String, marker: String) -> Data {
        var report = DeviceMessages.StatusReport()
        report.set(.array([AppStatus(identifier: WebhookScene.app, state: state).value]), at: AppStatus.name)
        report.set(.string(marker), at: "test.marker")
        return report.encoded()
    }

    /// Red if the report of a failed installation sends nothing, sends it twice, or leaves out the app and its state.
    @Test func aFailedInstallationIsSentOnce() async throws {
        try await WebhookScene.run(events: ["alert.*", "group.create"]) { (scene) async throws in
            for marker in ["first", "second"] {
                #expect(try await scene.device.ask(.status, Self.report("failed", marker: marker)).status == 200)
            }
            // What comes next shows that nothing was sent in between.
            let group = AdminMessages.Group(name: "last")
            #expect(try await scene.admin.send("POST", "/groups", group).status == 201)
            let events = try await scene.receiver.events(2).map { String(decoding: $0.body, as: UTF8.self) }
            let alert = try #require(events.first)
            #expect(alert.contains("\"type\":\"alert.failed\""), "\(alert)")
            #expect(alert.contains("\"app\":\"a.b\"") && alert.contains("\"state\":\"failed\""), "\(alert)")
            #expect(alert.contains("\"device\":\"\(scene.device.identifier.key)\""), "\(alert)")
            #expect(events.last?.contains("\"subject\":\"last\"") == true)
        }
    }
}
