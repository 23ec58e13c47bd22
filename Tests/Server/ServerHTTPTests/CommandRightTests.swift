import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

@testable import Console
@testable import ServerHTTP

/// Who may send which command to whose device: to ask is not to erase.
///
/// Red before: one right stood for every command, and an EraseDevice was queued for a device that belongs to a person.
@Suite struct CommandRightTests {
    /// A server with an administrator, somebody who helps devices, and a device.
    private static func with(
        ownership: AdminMessages.Ownership,
        _ body:
            @escaping @Sendable (_ admin: AdminClient, _ helper: AdminClient, _ commands: String) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "teachers"))
                let wish = EnrollmentCodeRequest(group: "teachers", ownership: ownership, supervised: false)
                let code = try await AdminJSON.decode(
                    EnrollmentCodeAnswer.self, from: admin.send("POST", "/enrollment-codes", wish).body)
                let identity = try await PlayedDevice.identity(
                    code: code.code, server, admin.client, key: DeviceKeys.first())
                let device = PlayedDevice(server: server, client: admin.client, udid: "commanded", identity: identity)
                let message = Authenticate(
                    identifier: device.identifier, topic: device.topic, deviceName: "Played", agentVersion: "1")
                try #require(await device.checkIn(.authenticate(message)).status == 200)
                try #require(await device.updateToken().status == 200)
                let helper = try await RoleTests.logIn("helper", Rights(role: .helpDesk), admin)
                try await body(admin, helper, "/devices/\(device.identifier.key)/commands")
            }
        }
    }

    private static let app: JSON = .string("com.example.app")
    /// With what each needs to be a command at all.
    private static let strict: [(type: String, parameters: JSON?)] = [
        ("EraseDevice", nil), ("ClearPasscode", nil), ("InstallProfile", nil), ("Unheard", nil),
        ("ManagedApplicationConfiguration", .object(["Identifiers": .array([app])])),
        ("ManagedApplicationFeedback", .object(["Identifiers": .array([app])])),
        ("InstallApplication", .object(["Identifier": app])), ("RemoveApplication", .object(["Identifier": app])),
        ("Settings", .object(["Settings": .array([.object(["Item": .string("DeviceName")])])])),
    ]

    @Test func whoHelpsDevicesAsksThemAndDoesNotEraseThem() async throws {
        try await Self.with(ownership: .organization) { (admin, helper, commands) async throws in
            for type in ["DeviceInformation", "ProfileList", "RestartDevice", "DeviceLock"] {
                let sent = try await helper.send("POST", commands, CommandRequest(requestType: type))
                #expect(sent.status == 201, "\(type): \(sent.text)")
            }
            for (type, parameters) in Self.strict {
                let request = CommandRequest(requestType: type, parameters: parameters)
                let refused = try await helper.send("POST", commands, request)
                #expect(refused.status == 403 && refused.text.contains("problem:not-allowed"), "\(type)")
                // As a whole command in a property list, too.
                let document = try Command(uuid: "U", request: .dictionary(["RequestType": .string(type)])).encoded()
                let whole = try await helper.send("POST", commands, body: document)
                #expect(whole.status == 403, "\(type)")
                let sent = try await admin.send("POST", commands, request)
                #expect(sent.status == 201, "\(type): \(sent.text)")
            }
        }
    }

    /// Who may not send a command does not take it back either.
    @Test func aCommandIsTakenBackByWhoMaySendIt() async throws {
        try await Self.with(ownership: .organization) { (admin, helper, commands) async throws in
            for (type, status) in [("EraseDevice", 403), ("ProfileList", 204)] {
                let sent = try await admin.send("POST", commands, CommandRequest(requestType: type))
                let uuid = try AdminJSON.decode(CommandSummary.self, from: sent.body).uuid
                #expect(try await helper.send("DELETE", "\(commands)/\(uuid)").status == status, "\(type)")
            }
        }
    }

    @Test func whatConcernsTheWholeDeviceIsNotSentToOneOfAPerson() async throws {
        try await Self.with(ownership: .personal) { (admin, _, commands) async throws in
            for type in ["EraseDevice", "ClearPasscode", "RestartDevice", "ShutDownDevice", "DeviceLocation"] {
                let refused = try await admin.send("POST", commands, CommandRequest(requestType: type))
                #expect(refused.status == 422 && refused.text.contains("\(type) concerns the whole device"), "\(type)")
            }
            for type in ["DeviceInformation", "DeviceLock"] {
                #expect(
                    try await admin.send("POST", commands, CommandRequest(requestType: type)).status == 201, "\(type)")
            }
            let queued: AdminMessages.Page<CommandSummary> = try await admin.get(commands)
            #expect(queued.items.map(\.requestType) == ["DeviceInformation", "DeviceLock"])
        }
    }

    /// The console leaves out what the API refuses, and nothing else.
    @Test func theConsoleOffersWhatTheAPITakes() {
        for kind in CommandKind.all {
            let permission = CommandRule.of(kind.requestType).permission
            #expect(kind.needs.rawValue == permission.rawValue, "\(kind.requestType)")
        }
    }
}
