import AdminMessages
import DeviceMessages
import Foundation
import Testing

/// Attributes over the wire: whole, in what is mentioned, by a table, and on the device's page.
struct AttributeRouteTests {
    private func with(_ body: (AdminClient, String) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await body(admin, device.identifier.key)
                }
            }
        }
    }

    private func attributes(_ admin: AdminClient, _ id: String) async throws -> [String: String] {
        try await admin.get("/devices/\(id)/attributes", DeviceAttributes.self).attributes
    }

    @Test func attributesAreSetChangedAndHeldToWhatWasSeen() async throws {
        try await with { admin, id in
            let place = "/devices/\(id)/attributes"
            #expect(try await attributes(admin, id) == [:])
            let none = try #require(try await admin.send("GET", place).headers["etag"])
            let all = DeviceAttributes(attributes: ["location": "Lobby", "assetTag": "1"])
            #expect(try await admin.send("PUT", place, all).status == 200)
            let patch = Data(#"{"attributes": {"location": "Attic", "assetTag": null}}"#.utf8)
            let json = ["Content-Type": "application/merge-patch+json"]
            let late = try await admin.send(
                "PATCH", place, headers: json.merging(["If-Match": none]) { $1 }, body: patch)
            #expect(late.status == 412, "\(late.text)")
            #expect(try await admin.send("PATCH", place, headers: json, body: patch).status == 200)
            #expect(try await attributes(admin, id) == ["location": "Attic"])
            let detail: DeviceDetail = try await admin.get("/devices/\(id)")
            #expect(detail.attributes == ["location": "Attic"])
            let wrong = try await admin.send("PUT", place, DeviceAttributes(attributes: ["Asset Tag": "PLANTED"]))
            #expect(wrong.status == 422 && wrong.text.contains("small letter") && !wrong.text.contains("PLANTED"))
            #expect(try await admin.send("GET", "/devices/nobody/attributes").status == 404)
            #expect(try await admin.send("PUT", "/devices/nobody/attributes", all).status == 404)
        }
    }

    @Test func aTableIsTakenWholeOrNotAtAll() async throws {
        try await with { admin, id in
            func bring(_ table: String, _ query: String = "") async throws -> Answer {
                try await admin.send("POST", "/device-attributes/import" + query, body: Data(table.utf8))
            }
            let dry = try await bring("device,location\n\(id),Lobby\n", "?dryRun=true")
            #expect(
                try AdminJSON.decode(AttributesImportAnswer.self, from: dry.body)
                    == AttributesImportAnswer(changed: 1, unchanged: 0, dryRun: true))
            let refused = try await bring("device,location\n\(id),Lobby\nPLANTED,Attic\n")
            #expect(refused.status == 422 && refused.text.contains("line 3"), "\(refused.text)")
            #expect(!refused.text.contains("PLANTED"))
            #expect(try await attributes(admin, id) == [:])
            #expect(try await bring("device,location\n\(id),Lobby\n").status == 200)
            #expect(try await bring("device,location\n\(id),\n", "?removeEmpty=true").status == 200)
            #expect(try await attributes(admin, id) == [:])
        }
    }

    /// Red if the device with the ID is taken and the device with the same serial number is not named.
    @Test func aTextThatIsOneDevicesIDAndAnothersSerialNumberNamesNeitherAlone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin, udid: "KIOSK-1") { (_) async throws in
                    try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
                        let said = Authenticate(
                            identifier: other.identifier, topic: other.topic, deviceName: "Played",
                            serialNumber: "KIOSK-1")
                        try #require(try await other.checkIn(.authenticate(said)).status == 200)
                        try #require(try await other.updateToken().status == 200)
                        let (id, others) = ("KIOSK-1", other.identifier.key)
                        func bring(_ name: String) async throws -> Answer {
                            let table = Data("device,location\n\(name),Attic\n".utf8)
                            return try await admin.send("POST", "/device-attributes/import", body: table)
                        }
                        func named(_ name: String) async throws -> [String] {
                            try await admin.get("/devices?named=\(name)", AdminMessages.Page<DeviceSummary>.self)
                                .items.map(\.id)
                        }
                        let refused = try await bring(id)
                        #expect(refused.status == 422 && refused.text.contains("line 2"), "\(refused.text)")
                        #expect(refused.text.contains(id) && refused.text.contains(others), "\(refused.text)")
                        #expect(try await attributes(admin, id) == [:])
                        #expect(try await attributes(admin, others) == [:])
                        #expect(try await named(id) == [id, others].sorted())
                        #expect(try await named("id:" + id) == [id])
                        #expect(try await named("serial:" + id) == [others])
                        #expect(try await bring("serial:" + id).status == 200)
                        #expect(try await attributes(admin, others) == ["location": "Attic"])
                        #expect(try await attributes(admin, id) == [:])
                    }
                }
            }
        }
    }

    @Test func theConsoleShowsAndChangesThem() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let id = device.identifier.key
                    let page = "/console/devices/\(id)/attributes"
                    let all = DeviceAttributes(attributes: ["location": "Lobby"])
                    try #require(try await admin.send("PUT", "/devices/\(id)/attributes", all).status == 200)
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        #expect(try await browser.get("/console/devices/\(id)").text.contains("<dt>location</dt>"))
                        var form = try ConsoleRemovalTests.carried(by: page, in: try await browser.get(page).text)
                        form["attributes"] = "location\r\n"
                        let wrong = try await browser.post(page, form)
                        #expect(wrong.status == 422 && wrong.text.contains("Line 1 has no ="), "\(wrong.text)")
                        form["attributes"] = "location = Attic\r\n\r\nowner = a = b\r\n"
                        #expect(try await browser.post(page, form).status == 303)
                        #expect(try await attributes(admin, id) == ["location": "Attic", "owner": "a = b"])
                        // The page was shown before that change.
                        let late = try await browser.post(page, form.merging(["attributes": "floor = 2"]) { $1 })
                        #expect(late.status == 412 && late.text.contains("Nothing of yours is saved"), "\(late.text)")
                    }
                }
            }
        }
    }
}
