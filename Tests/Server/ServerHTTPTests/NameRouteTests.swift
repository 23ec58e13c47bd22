import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// Names of every kind over the API: what is taken comes back by the byte, what is not is refused by its rule.
struct NameRouteTests {
    /// A server has at most twenty webhooks.
    private static let most = 15

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
                try await NamedKind.prepare(admin)
                var random = SplitMix64(seed: 40)
                var taken: [String] = []
                for kind in NamedKind.simple {
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
    private func take(_ names: [String], _ kind: NamedKind, _ admin: AdminClient) async throws -> [String] {
        let before = try await kind.listed(admin)
        var taken: [String] = []
        for name in names where taken.count < Self.most && !before.contains(Self.bytes(name)) {
            let answer = try await kind.set(admin, name)
            let shown = "\(kind.list) \(name.unicodeScalars.map { String($0.value, radix: 16) }): \(answer.text)"
            guard !(200..<300).contains(answer.status) else {
                taken.append(name)
                let one = try await admin.send("GET", RequestPath.text(kind.place(name)))
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
        let after = try await kind.listed(admin)
        #expect(Set(after).count == after.count && after.count == before.count + taken.count, "\(kind.list)")
        for name in taken { #expect(after.contains(Self.bytes(name)), "\(kind.list)") }
        return taken
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
