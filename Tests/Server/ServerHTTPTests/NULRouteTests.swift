import AdminMessages
import DeviceMessages
import Foundation
import Testing

/// A text with a NUL is kept nowhere: an administrator's is refused by a rule that names it.
@Suite struct NULRouteTests {
    @Test func anAdministratorsTextWithANULIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let app = Data(#"{"bundleIdentifier":"a.b","name":"one\u0000two"}"#.utf8)
                let answer = try await admin.send(
                    "PUT", "/apps/a.b", headers: ["Content-Type": "application/json"], body: app)
                #expect(answer.status == 400 && answer.text.contains("NUL"), "\(answer.text)")
                let person = Data(#"{"userName":"u","details":{"email":"a\u0000b"}}"#.utf8)
                let people = try await admin.send(
                    "PUT", "/people/u", headers: ["Content-Type": "application/json"], body: person)
                #expect(people.status == 400 && people.text.contains("NUL"), "\(people.text)")
                for path in ["/groups/a%00b", "/devices?group=a%00b", "/audit?subject=%00", "/apps/a.b%00/sources"] {
                    let address = try await admin.send("GET", path)
                    #expect(address.status == 400 && address.text.contains("NUL"), "\(path): \(address.text)")
                }
                let twice = try await admin.send("GET", "/groups/a%2500b")
                #expect(twice.status == 404, "an escape of an escape is text")
                #expect(try await admin.send("GET", "/apps/a.b").status == 404)
            }
        }
    }

    /// What a device says is taken as far as it can be read: its text comes without the NUL, and that is said.
    @Test func aDevicesTextWithANULIsTakenWithoutIt() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let report = Data(#"{"StatusItems":{"device":{"model":{"family":"a\u0000b"}}},"Errors":[]}"#.utf8)
                    let answer = try await device.ask(.status, report)
                    #expect(answer.status == 200, "\(answer.status)")
                    let items = try await admin.send("GET", "/devices/\(device.identifier.key)/status")
                    #expect(items.text.contains("\"a\u{FFFD}b\""), "\(items.text)")
                    #expect(items.text.contains("a JSON string holds a NUL"), "\(items.text)")
                    #expect(!items.text.contains("\\u0000") && !items.text.utf8.contains(0))
                }
            }
        }
    }
}
