import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import TestLog
import Testing

/// Issue 32, over the real routes: what a Mac asks of a server whose profile announces it.
@Suite struct BootstrapTokenRouteTests {
    private static let token = Data("a bootstrap token".utf8)

    /// Red before: 400, as a message that is not served.
    ///
    /// A signature that says no time is the same for each such request: whoever has seen it, such as a proxy or its log,
    /// could ask for the token with it.
    @Test func aDeviceIsGivenItsTokenWhereItsRequestIsFresh() async throws {
        try await withDevice { (server, admin, device) async throws in
            let left = SetBootstrapToken(identifier: device.identifier, token: Self.token)
            #expect(try await device.checkIn(.setBootstrapToken(left)).status == 200)
            let body = CheckInMessage.getBootstrapToken(device.identifier).encoded()
            let timeless = try await device.send("/mdm/checkin", body)
            #expect(timeless.status == 400)
            #expect(
                try DeviceErrorDocument(parsing: timeless.body).code == DeviceErrorDocument.certificateNeeded)

            let signature = try device.sign(body, at: Date())
            let signed = try await device.send("/mdm/checkin", body, signature: signature)
            #expect(signed.status == 200)
            #expect(try BootstrapTokenAnswer(parsing: signed.body).token == Self.token)
            let again = try await device.send("/mdm/checkin", body, signature: signature)
            #expect(again.status == 200 && again.body.isEmpty, "once")

            try await server.client(identity: device.identity).with { (client) async throws in
                let shown = try await client.send("PUT", server.baseURL + "/mdm/checkin", body: body)
                #expect(shown.status == 200)
                #expect(try BootstrapTokenAnswer(parsing: shown.body).token == Self.token)
            }
            let pages = ["/devices/\(device.identifier.key)", "/audit"]
            let forms = [String(decoding: Self.token, as: UTF8.self), Self.token.base64EncodedString()]
            for page in pages {
                let text = try await admin.send("GET", page).text
                #expect(forms.allSatisfy { !text.contains($0) }, "\(page)")
            }
            #expect(server.log.all.allSatisfy { line in forms.allSatisfy { !line.contains($0) } })
        }
    }

    /// Red before: 503, which a Mac takes for a server that is down.
    @Test func aUserOfTheDirectoryIsNotManaged() async throws {
        try await withDevice { (_, _, device) async throws in
            let user = EnrollmentIdentifier(kind: .device, id: device.identifier.id, userID: "U1")
            #expect(try await device.checkIn(.userAuthenticate(user)).status == 410)
            let update = TokenUpdate(identifier: user, topic: device.topic, token: Data([2]), pushMagic: "m")
            #expect(try await device.checkIn(.tokenUpdate(update)).status == 200, "one of the device's own is")
            let tokens = DeclarativeManagementRequest(identifier: user, endpoint: .tokens)
            #expect(try await device.checkIn(.declarativeManagement(tokens)).status == 200)
        }
    }

    private func withDevice(
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }
}
