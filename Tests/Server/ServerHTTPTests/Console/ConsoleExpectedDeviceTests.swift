import AdminMessages
import AsyncHTTPClient
import Foundation
import Management
import Testing

/// Devices that enroll by themselves, said in the console.
@Suite("Console: expected devices")
struct ConsoleExpectedDeviceTests {
    private static let page = "/console/expected-devices"
    private static let chip = String(repeating: "ab", count: 32)

    private static func with(_ test: (AdminClient, ConsoleBrowser) async throws -> Void) async throws {
        try await TestServer.run(means: .attestedACME) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try #require(try await admin.send("POST", "/groups", AdminMessages.Group(name: "g")).status == 201)
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    try await test(admin, browser)
                }
            }
        }
    }

    @Test("a device is expected by its chip or by a number that is trusted, one of both, and never otherwise unseen")
    func one() async throws {
        try await Self.with { (admin, browser) async throws in
            #expect(try await browser.get("/console/enrollment").text.contains("href=\"\(Self.page)\""))
            let wish = ["serialNumber": "A1", "group": "g"]
            for more in [[:], ["chip": Self.chip, "trust": "1"]] {
                let unclear = try await browser.post(Self.page, wish.merging(more) { $1 })
                #expect(unclear.status == 422 && unclear.text.contains("id=\"field-chip-problem\""), "\(unclear.text)")
                #expect(unclear.text.contains("value=\"A1\""), "nothing typed is lost")
            }
            let wrong = try await browser.post(Self.page, wish.merging(["chip": "zz"]) { $1 })
            #expect(wrong.status == 422 && wrong.text.contains("role=\"alert\""))
            let right = wish.merging(["chip": Self.chip.uppercased(), "await": "1"]) { $1 }
            #expect(try await browser.post(Self.page, right).status == 303)
            let device: AdminMessages.ExpectedDevice = try await admin.get("/expected-devices/A1")
            #expect(device.chip == Self.chip && device.awaitConfiguration == true && device.group == "g")
            let unseen = try await browser.post(Self.page, wish.merging(["trust": "1"]) { $1 })
            #expect(unseen.status == 412 && unseen.text.contains("You changed it yourself"), "\(unseen.text)")
            #expect(try await admin.get("/expected-devices/A1", AdminMessages.ExpectedDevice.self) == device)
            let shown = try await browser.get(Self.page + "/A1").text
            #expect(shown.contains(Self.chip) && shown.contains("until everything is there"))
            let base = String(try #require(shown.firstMatch(of: /name="base" value="([^"]*)"/)).1)
            let remove = Self.page + "/A1/remove"
            #expect(try await browser.post(remove, ["base": "\"another\""]).status == 412)
            let seen = base.replacing("&quot;", with: "\"")
            #expect(try await browser.post(remove, ["base": seen]).status == 303)
            #expect(try await admin.send("GET", "/expected-devices/A1").status == 404)
        }
    }

    @Test("all devices of a table are expected, or none where a line is refused; what came of it is said")
    func many() async throws {
        try await Self.with { (admin, browser) async throws in
            let table = ["table": "serialNumber,chip\r\nB1,\r\nB2,\(Self.chip)\r\n", "groupAll": "g"]
            let refused = try await browser.post(Self.page + "/import", table)
            #expect(refused.status == 422 && refused.text.contains("role=\"alert\""), "\(refused.text)")
            #expect(
                try await admin.get("/expected-devices", AdminMessages.Page<AdminMessages.ExpectedDevice>.self).items
                    .isEmpty)
            let taken = try await browser.post(Self.page + "/import", table.merging(["trustAll": "1"]) { $1 })
            #expect(taken.status == 200 && taken.text.contains("2 are expected from now on"), "\(taken.text)")
            let devices: AdminMessages.Page<AdminMessages.ExpectedDevice> = try await admin.get("/expected-devices")
            #expect(devices.items.map(\.chip) == [nil, Self.chip] && devices.items.allSatisfy { $0.group == "g" })
            let list = try await browser.get(Self.page).text
            #expect(list.contains("href=\"\(Self.page)/B1\"") && list.contains("its serial number"))
        }
    }

    @Test("who only looks sees who is expected, and is offered and allowed no change")
    func readers() async throws {
        try await Self.with { (admin, browser) async throws in
            let wish = ExpectedDeviceRequest(group: "g", trustSerialNumber: true)
            try #require(try await admin.send("PUT", "/expected-devices/A1", wish).status == 204)
            try await ConsoleBrowser.with(browser.server) { (other) async throws in
                try await other.signIn(as: .reader, admin)
                for path in ["", "/A1"] {
                    let page = try await other.get(Self.page + path)
                    let main = page.text.components(separatedBy: "<main").last ?? ""
                    #expect(page.status == 200 && main.contains("A1") && !main.contains("<form"), "\(path): \(main)")
                }
                let form = ["serialNumber": "A2", "group": "g", "trust": "1", "table": "A2"]
                for path in ["", "/import", "/A1/remove"] {
                    #expect(try await other.post(Self.page + path, form).status == 403, "\(path)")
                }
            }
        }
    }
}
