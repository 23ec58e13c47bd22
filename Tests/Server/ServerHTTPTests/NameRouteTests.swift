import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// Names of every kind over the API: what is taken comes back by the byte, what is not is refused by its rule.
struct NameRouteTests {
    private static let app = "org.swift.landmarks"
    /// A server has at most twenty webhooks.
    private static let most = 15

    /// One sort of thing that has a name.
    private struct Kind: Sendable {
        let list: String
        /// The member of an entry of the list that has the name.
        let member: String
        /// Where one of them is.
        let place: @Sendable (String) -> String
        let set: @Sendable (AdminClient, String) async throws -> Answer
    }

    private static let kinds = [
        Kind(list: "/groups", member: "name", place: { RequestPath.text(["groups", $0]) }) {
            try await $0.send("POST", "/groups", Group(name: $1))
        },
        Kind(list: "/people", member: "userName", place: { RequestPath.text(["people", $0]) }) {
            try await $0.send("PUT", RequestPath.text(["people", $1]), PersonDetails(fullName: "Somebody"))
        },
        Kind(list: "/secrets", member: "name", place: { RequestPath.text(["secrets", $0]) }) {
            let secret = SecretRequest.password(PasswordSecret(userName: "guest", password: "password"))
            return try await $0.send("PUT", RequestPath.text(["secrets", $1]), secret)
        },
        Kind(
            list: "/secret-assignments", member: "identifier",
            place: { RequestPath.text(["secret-assignments", "teachers", app, "password", $0]) }
        ) {
            let path = RequestPath.text(["secret-assignments", "teachers", app, "password", $1])
            return try await $0.send("PUT", path, SecretAssignmentRequest(secret: "wifi"))
        },
        Kind(
            list: "/apps/\(app)/configurations", member: "name",
            place: { RequestPath.text(["apps", app, "configurations", $0]) }
        ) {
            let path = RequestPath.text(["apps", app, "configurations", $1])
            return try await $0.send("PUT", path, body: AdminClient.configuration(title: "one"))
        },
        Kind(list: "/administrators", member: "name", place: { RequestPath.text(["administrators", $0]) }) {
            try await $0.send("POST", "/administrators", AdministratorRequest(name: $1, role: .reader))
        },
        Kind(list: "/expected-devices", member: "serialNumber", place: { RequestPath.text(["expected-devices", $0]) }) {
            let wish = ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true)
            return try await $0.send("PUT", RequestPath.text(["expected-devices", $1]), wish)
        },
        Kind(list: "/webhooks", member: "name", place: { RequestPath.text(["webhooks", $0]) }) {
            let wish = WebhookRequest(name: $1, url: "https://webhooks.invalid/a", events: ["secret.release"])
            return try await $0.send("POST", "/webhooks", wish)
        },
    ]

    private static let pieces = [
        "a", "B", "7", "K", "z", "q", ".", "_", "-", "@", "+", " ", "/", "%", ":", "\u{E9}", "e\u{301}", "\u{C5}",
        "A\u{30A}", "\u{212B}", "\u{212A}", "😀", "👩‍👩‍👧", "\u{627}\u{644}", "\u{5D0}", "\u{202E}", "\u{0}", "\u{7}",
        "\u{85}",
        "\u{2028}", "\u{378}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "\u{AC00}\u{11A8}", "\u{301}", "日本",
    ]

    private static func names(_ random: inout SplitMix64) -> [String] {
        // Each before or after what is only the same to Swift.
        var names = [
            "ren\u{E9}", "rene\u{301}", "\u{C5}ke", "\u{212B}ke", "A\u{30A}ke", "Kurt", "\u{212A}urt", "a\u{0}b", "a",
            "\u{D55C}", "\u{1112}\u{1161}\u{11AB}",
        ]
        for index in 0..<40 {
            // Half of them of what every kind takes.
            let pieces = index.isMultiple(of: 2) ? Array(Self.pieces[..<9]) : Self.pieces
            let name = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }.joined()
            names.append(name)
        }
        var seen: Set<ByteText> = []
        // A step in the path is no name in any of them.
        return names.filter { $0 != "." && $0 != ".." && seen.insert(ByteText($0)).inserted }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Red for people and identifiers of secrets that are decomposed, for administrators with the sign of kelvin.
    @Test func whatIsTakenComesBackByTheByteAndTheRestIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let secret = SecretRequest.password(PasswordSecret(userName: "guest", password: "password"))
                #expect(try await admin.send("PUT", "/secrets/wifi", secret).status == 200)
                var random = SplitMix64(seed: 40)
                var taken: [String] = []
                for kind in Self.kinds {
                    let mine = try await take(Self.names(&random), kind, admin)
                    #expect(mine.count > 5, "\(kind.list)")
                    taken += mine
                }
                let page = try await admin.send("GET", "/audit?limit=500")
                let entries = try JSONValue(parsing: page.body, limits: .adminBody)["items"]?.array ?? []
                let shown = try entries.flatMap(Self.names(in:))
                let exported = try await exportedNames(admin)
                for name in taken {
                    let bytes = name.unicodeScalars.map { String($0.value, radix: 16) }
                    #expect(shown.contains { $0.suffix(name.utf8.count).elementsEqual(name.utf8) }, "\(bytes)")
                    #expect(exported.contains { $0.suffix(name.utf8.count).elementsEqual(name.utf8) }, "\(bytes)")
                }
                #expect(try await admin.verifiedAudit().intact)
            }
        }
    }

    /// Sets things of these names; answers those that were taken, each of which is one thing.
    private func take(_ names: [String], _ kind: Kind, _ admin: AdminClient) async throws -> [String] {
        let before = try await listed(kind, admin)
        var taken: [String] = []
        for name in names where taken.count < Self.most && !before.contains(Self.bytes(name)) {
            let answer = try await kind.set(admin, name)
            let shown = "\(kind.list) \(name.unicodeScalars.map { String($0.value, radix: 16) }): \(answer.text)"
            guard !(200..<300).contains(answer.status) else {
                taken.append(name)
                let one = try await admin.send("GET", kind.place(name))
                #expect(one.status == 200, "\(shown)")
                continue
            }
            #expect(answer.status == 422 || answer.status == 400, "\(shown)")
            // By its rule: which characters, which length, which form.
            #expect(
                ["letters", "characters", "NUL", "NFC", "space", "mark", "line breaks"].contains {
                    answer.text.contains($0)
                },
                "\(shown)")
        }
        let after = try await listed(kind, admin)
        #expect(Set(after).count == after.count && after.count == before.count + taken.count, "\(kind.list)")
        for name in taken { #expect(after.contains(Self.bytes(name)), "\(kind.list)") }
        return taken
    }

    private func listed(_ kind: Kind, _ admin: AdminClient) async throws -> [[UInt8]] {
        let answer = try await admin.send("GET", kind.list + "?limit=500")
        try #require(answer.status == 200, "\(answer.text)")
        let items = try JSONValue(parsing: answer.body, limits: .adminBody)["items"]?.array ?? []
        return items.compactMap { $0[kind.member]?.string.map(Self.bytes) }
    }

    private func exportedNames(_ admin: AdminClient) async throws -> [[UInt8]] {
        let answer = try await admin.send("GET", "/audit/export")
        return try answer.body.split(separator: UInt8(ascii: "\n")).flatMap { line in
            try Self.names(in: JSONValue(parsing: Data(line), limits: .adminBody))
        }
    }

    /// What an entry of the audit log names: its subject, and for an assigned secret the slot in its details.
    private static func names(in entry: JSONValue) throws -> [[UInt8]] {
        var details = entry["details"]
        // The export has them as the text that the hash covers.
        if let text = details?.string { details = try JSONValue(parsing: Data(text.utf8), limits: .adminBody) }
        return [entry["subject"], details?["identifier"]].compactMap { $0?.string.map(bytes) }
    }

    /// Red while any text named a device: two of these ended the server.
    @Test func aDeviceWhoseNameIsNotASCIIDoesNotEnroll() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await server.client().with { (client) async throws in
                    let keys = [try DeviceKeys.first(), try DeviceKeys.second()]
                    for (id, key) in zip(["DEVICE-\u{E9}", "DEVICE-e\u{301}"], keys) {
                        let code = try await admin.code()
                        let identity = try await PlayedDevice.identity(code: code.code, server, client, key: key)
                        let device = PlayedDevice(server: server, client: client, udid: id, identity: identity)
                        #expect(try await device.authenticate().status == 400)
                    }
                }
                let preview = try await admin.send(
                    "POST", "/groups/preview", GroupPreviewRequest(rule: "kind = device"))
                #expect(preview.status == 200, "\(preview.text)")
                let devices = try await admin.send("GET", "/devices")
                #expect(devices.status == 200 && !devices.text.contains("DEVICE-"), "\(devices.text)")
            }
        }
    }
}
