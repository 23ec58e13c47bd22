import AdminMessages
import Management
import Testing

/// A server with an app and a webhook, its administrator, a device that reports, and the webhook's receiver.
struct WebhookScene {
    static let app = "a.b"

    let admin: AdminClient
    let device: PlayedDevice
    let receiver: WebhookReceiver

    /// Sets it up with a webhook for these events, and hands it to the test.
    static func run(events: [String], _ test: (WebhookScene) async throws -> Void) async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await WebhookReceiver.run { (receiver) async throws in
                        let wish = AdminMessages.App(bundleIdentifier: app, name: "A")
                        try #require(try await admin.send("PUT", "/apps/\(app)", wish).status == 200)
                        let webhook = AdminMessages.WebhookRequest(name: "events", url: receiver.url, events: events)
                        try #require(try await admin.send("POST", "/webhooks", webhook).status == 201)
                        try await test(WebhookScene(admin: admin, device: device, receiver: receiver))
                    }
                }
            }
        }
    }
}

extension AddressPolicy {
    /// Lets a server reach receivers on this machine.
    static let loopback = AddressPolicy(allowed: [NetworkRange(parsing: "127.0.0.0/8")].compactMap { $0 })
}
