import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import TestLog
import Testing

/// What a device says is taken as far as it can be read, and nothing that it says makes an answer of ours fail.
@Suite struct UnreadableAnswerTests {
    /// Red while such an answer was 400: the device repeated it forever, and no later command reached it.
    @Test(arguments: [
        "<key>X</key><date>2147483647-07-28T00:00:00Z</date>", "<key>X</key><true/><key>X</key><true/>",
        "<key>ErrorChain</key><array><dict><key>ErrorCode</key><string>12</string></dict></array>",
        "<key>X</key><date>2026-02-30T00:00:00Z</date>", "<key>X</key><integer>18446744073709551616</integer>",
        "<key>X</key><data>QUI</data>", "<key>X</key><array><real>1,5</real></array>",
    ])
    func anAnswerThatIsReadInPartLetsTheQueueGoOn(other: String) async throws {
        try await withDevice(["ProfileList", "CertificateList"]) { (server, admin, device) async throws in
            let command = try #require(try await device.report(.idle))
            let answer = try await device.send("/mdm/command", Self.answer(to: command, by: device, other))
            #expect(answer.status == 200)
            #expect(try Command(parsing: answer.body).requestType == "CertificateList")
            let path = "/devices/\(device.identifier.key)/commands/\(command.uuid)"
            let detail: CommandDetail = try await admin.get(path)
            #expect(detail.state == .acknowledged && detail.oddities?.count == 1)
            let page = try await admin.send("GET", "/devices/\(device.identifier.key)/commands")
            #expect(page.status == 200)
            #expect(server.log.say("device message read in part", "places=1", device.identifier.id))
        }
    }

    /// Red while a number that JSON has no form for made the command's page 500.
    @Test(
        arguments: [
            ("<real>nan</real>", JSON.string("nan")), ("<real>+infinity</real>", .string("infinity")),
            ("<real>-inf</real>", .string("-infinity")), ("<date>0001-01-01T00:00:00Z</date>", nil),
            ("<date>9999-12-31T23:59:59Z</date>", .string("9999-12-31T23:59:59.000Z")),
            ("<integer>18446744073709551615</integer>", .unsigned(.max)), ("<string>\u{1}\u{FFFE}</string>", nil),
            ("<string>&#0;</string>", .string("\u{FFFD}")), ("<data/>", .string("")),
        ] as [(String, JSON?)])
    func everyValueIsShown(value: String, shown: JSON?) async throws {
        try await withDevice(["OSUpdateStatus"]) { (_, admin, device) async throws in
            let command = try #require(try await device.report(.idle))
            let body = Self.answer(to: command, by: device, "<key>X</key>\(value)")
            #expect(try await device.send("/mdm/command", body).status == 200)
            let path = "/devices/\(device.identifier.key)/commands/\(command.uuid)"
            let detail: CommandDetail = try await admin.get(path)
            if let shown { #expect(detail.answer?["X"] == shown) }
        }
    }

    /// Red while a command that a device was given could not be taken back.
    @Test func aCommandThatWasSentCanBeTakenBack() async throws {
        try await withDevice(["ProfileList", "CertificateList"]) { (_, admin, device) async throws in
            let command = try #require(try await device.report(.idle))
            let path = "/devices/\(device.identifier.key)/commands/\(command.uuid)"
            #expect(try await admin.send("DELETE", path).status == 204)
            var detail: CommandDetail = try await admin.get(path)
            #expect(detail.state == .retired && detail.answer == nil)
            #expect(try await device.report(.idle)?.requestType == "CertificateList")
            let next = try await device.report(.acknowledged, command, contents: ["ProfileList": .array([])])
            #expect(next?.requestType == "CertificateList")
            detail = try await admin.get(path)
            #expect(detail.state == .retired && detail.answer == .object(["ProfileList": .array([])]))
            #expect(try await admin.send("DELETE", path).status == 204)
            #expect(try await admin.send("GET", path).status == 404)
        }
    }

    /// Red while one odd item cost the whole report.
    @Test func aReportLosesOnlyWhatCannotBeRead() async throws {
        try await withDevice([]) { (_, admin, device) async throws in
            let text = #"{"StatusItems":{"test":{"a":1e999,"b":2,"b":3}},"Errors":[{}]}"#
            #expect(try await device.ask(.status, Data(text.utf8)).status == 200)
            let path = "/devices/\(device.identifier.key)/status"
            let items = try AdminJSON.decode(
                AdminMessages.Page<AdminMessages.StatusItem>.self, from: try await admin.send("GET", path).body
            ).items
            #expect(items.map(\.name) == ["martlet.status.left-out", "test.a", "test.b"])
            #expect(items.dropFirst().map(\.value) == [.string("1e999"), .integer(3)])
            #expect(items.first?.value["oddities"]?["count"] == .integer(3))
        }
    }

    // MARK: Support

    private static func answer(to command: Command, by device: PlayedDevice, _ other: String) -> Data {
        Data(
            """
            <plist version="1.0"><dict><key>CommandUUID</key><string>\(command.uuid)</string>\(other)\
            <key>Status</key><string>Acknowledged</string><key>UDID</key>\
            <string>\(device.identifier.id)</string></dict></plist>
            """.utf8)
    }

    /// A device that was told of its declarations and has these commands waiting.
    private func withDevice(
        _ types: [String], _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    _ = try await device.report(.acknowledged, device.report(.idle))
                    for type in types {
                        _ = try await admin.send(
                            "POST", "/devices/\(device.identifier.key)/commands", CommandRequest(requestType: type))
                    }
                    try await test(server, admin, device)
                }
            }
        }
    }
}
