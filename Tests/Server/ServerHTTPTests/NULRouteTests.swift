import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
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

    /// Every operation that takes JSON or a table, as the API's description has them.
    ///
    /// Of what belongs to something that is not there, the body is not read.
    @Test func noBodyWithANULIsTaken() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let bodies: [String: Data] = [
                    "application/json": Data(#"{"name":"a\u0000b"}"#.utf8),
                    "application/merge-patch+json": Data(#"{"name":"a\u0000b"}"#.utf8),
                    "text/csv": Data("userName\na\u{0}b\n".utf8),
                ]
                let answer = try await admin.send("GET", "/openapi.json")
                let limits = InputLimits(bytes: 8 << 20, objects: 500_000)
                let description = try JSONValue(parsing: answer.body, limits: limits)
                var refused = 0
                for (path, operations) in description["paths"]?.object ?? [:] {
                    let place = path.replacing(/\{[^}]*\}/, with: "x.y")
                    for (method, operation) in operations.object ?? [:] {
                        let kinds = operation["requestBody"]?["content"]?.object ?? [:]
                        guard let (type, body) = bodies.first(where: { kinds[$0.key] != nil }) else { continue }
                        let said = try await admin.send(
                            method.uppercased(), place, headers: ["Content-Type": type], body: body)
                        let isNamed = said.text.contains("NUL") || said.text.contains("control characters")
                        let isRefused = [400, 422].contains(said.status) && (isNamed || type == "text/csv")
                        #expect(isRefused || said.status == 404, "\(method) \(path): \(said.status) \(said.text)")
                        refused += isRefused ? 1 : 0
                    }
                }
                #expect(refused > 25)
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
