import AdminMessages
import Console
import Foundation
import InputBounds
import StoreSQLite
import TestInputs
import Testing

/// Names that are easily taken for one, of every kind: through the API, its lists, the console's pages, the audit log, and
/// a copy of the store.
struct NamePairRouteTests {
    /// The names of one kind of which both of a pair were taken, and all that are there.
    private struct Kept: Sendable {
        let kind: NamedKind
        let listed: Set<[UInt8]>
    }

    private static let kinds = NamedKind.simple + NamedKind.ofApps

    /// A list of the console has a hundred entries; a server has at most twenty webhooks.
    private static func pairs(of kind: NamedKind, _ pairs: inout NamePairs) -> [NamePair] {
        let most =
            switch (kind.list, kind.alphabet) {
            case ("/webhooks", _): 9
            case (_, .word): Mutation.isLong ? 20 : 12
            default: Mutation.isLong ? 45 : 24
            }
        return pairs.next(most, kind.alphabet)
            // Set by a byte order mark at the beginning it was the other: Foundation leaves it out.
            + (most > 9 ? [NamePair(one: "mark", other: "\u{FEFF}mark")] : [])
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Red where a path was decoded by Foundation: what was named with a byte order mark before it was written over
    /// what was named without.
    @Test(arguments: [UInt64(31)])
    func whatDiffersInAByteIsTwoThingsEverywhere(seed: UInt64) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let kept = KeptStore(path: directory.appending(path: "store.sqlite").path)
        let copy = directory.appending(path: "copy.sqlite").path
        let before = try await TestServer.run(kept: kept) { (server) async throws -> [Kept] in
            var all: [Kept] = []
            try await AdminClient.with(server) { (admin) async throws in
                all = try await fill(server, admin, seed)
            }
            _ = try await server.store.copy(to: copy, progress: { _, _ in })
            return all
        }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: kept.path + suffix) }
        try FileManager.default.moveItem(atPath: copy, toPath: kept.path)
        try await TestServer.run(kept: kept) { (server) async throws in
            try await server.client().with { (client) async throws in
                let base = server.baseURL + "/api/v1"
                let session = SessionRequest(name: "admin", password: AdminClient.password)
                let opened = try await client.send("POST", base + "/session", body: AdminJSON.encode(session))
                let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
                let admin = AdminClient(client: client, base: base, token: token)
                for one in before {
                    let listed = try await one.kind.listed(admin)
                    #expect(Set(listed) == one.listed, "\(one.kind.list)")
                }
            }
        }
    }

    /// Sets names of every kind, and sees each for itself wherever it is shown; answers with what is there in the end.
    private func fill(_ server: TestServer, _ admin: AdminClient, _ seed: UInt64) async throws -> [Kept] {
        try await NamedKind.prepare(admin)
        var all: [Kept] = []
        var taken: [String] = []
        try await ConsoleBrowser.with(server) { (browser) async throws in
            try await browser.signIn()
            var random = NamePairs(seed: seed)
            for kind in Self.kinds {
                let there = Set(try await kind.listed(admin))
                let pairs = Self.pairs(of: kind, &random)
                let (names, both) = try await take(pairs, kind, admin)
                #expect(both.count > 2, "\(kind.list): \(both.count)")
                try await expectListed(names, beside: there, kind, admin, browser)
                for name in names { try await expectShown(name, kind, admin, browser) }
                for pair in both { try await expectRemovedAlone(pair, kind, admin) }
                let left = Set(try await kind.listed(admin))
                let gone = Set(both.map { Self.bytes($0.one) })
                #expect(left == there.union(names.map(Self.bytes)).subtracting(gone), "\(kind.list)")
                all.append(Kept(kind: kind, listed: left))
                taken += names
            }
        }
        let subjects = try await audited(admin)
        for name in taken {
            let isNamed = subjects.contains { $0.suffix(name.utf8.count).elementsEqual(name.utf8) }
            #expect(isNamed, "\(NamePair.scalars(name))")
        }
        return all
    }

    /// Sets things of these names; answers with those that were taken, and the pairs of which both were.
    private func take(
        _ pairs: [NamePair], _ kind: NamedKind, _ admin: AdminClient
    ) async throws -> (names: [String], both: [NamePair]) {
        var names: [String] = []
        var both: [NamePair] = []
        for pair in pairs {
            var taken: [String] = []
            for name in [pair.one, pair.other].map({ kind.beginning + $0 }) {
                let answer = try await kind.set(admin, name)
                if (200..<300).contains(answer.status) {
                    taken.append(name)
                } else {
                    let isRefused = [400, 422].contains(answer.status)
                    #expect(isRefused, "\(kind.list) \(NamePair.scalars(name)): \(answer.status) \(answer.text)")
                }
            }
            names += taken
            if taken.count == 2 { both.append(NamePair(one: taken[0], other: taken[1])) }
        }
        return (names, both)
    }

    /// Each once, in the API's pages and on the console's.
    private func expectListed(
        _ names: [String], beside there: Set<[UInt8]>, _ kind: NamedKind, _ admin: AdminClient,
        _ browser: ConsoleBrowser
    ) async throws {
        let listed = try await kind.listed(admin)
        #expect(Set(listed).count == listed.count, "\(kind.list)")
        #expect(Set(listed) == there.union(names.map(Self.bytes)), "\(kind.list)")
        let page = try await browser.get("/console" + (kind.listPage ?? kind.list))
        #expect(page.status == 200, "\(kind.list)")
        for name in names { #expect(Self.shows(page, name), "\(kind.list): \(NamePair.scalars(name))") }
    }

    /// Under its address, in the API and in the console.
    private func expectShown(
        _ name: String, _ kind: NamedKind, _ admin: AdminClient, _ browser: ConsoleBrowser
    ) async throws {
        let place = kind.place(name)
        let one = try await admin.send("GET", RequestPath.text(place))
        #expect(one.status == 200, "\(kind.list): \(NamePair.scalars(name))")
        if let said = (try? JSONValue(parsing: one.body, limits: .adminBody))?[kind.member]?.string {
            #expect(said.utf8.elementsEqual(name.utf8), "\(kind.list): \(NamePair.scalars(name))")
        }
        let page = try await browser.get("/console" + RequestPath.text(kind.page?(name) ?? place))
        #expect(page.status == 200 && Self.shows(page, name), "\(kind.list): \(NamePair.scalars(name))")
    }

    /// One of a pair goes; the other stays.
    private func expectRemovedAlone(_ pair: NamePair, _ kind: NamedKind, _ admin: AdminClient) async throws {
        let (one, other) = (RequestPath.text(kind.place(pair.one)), RequestPath.text(kind.place(pair.other)))
        let removed = try await admin.send("DELETE", one)
        #expect((200..<300).contains(removed.status), "\(kind.list) \(pair.shown): \(removed.text)")
        #expect(try await admin.send("GET", one).status == 404, "\(kind.list) \(pair.shown)")
        #expect(try await admin.send("GET", other).status == 200, "\(kind.list) \(pair.shown)")
    }

    private static func shows(_ page: Answer, _ name: String) -> Bool {
        let escaped: HTML = "\(name)"
        return page.body.range(of: Data(escaped.text.utf8)) != nil
    }

    /// What the entries of the audit log are about, and the identifiers of assigned secrets in their details.
    private func audited(_ admin: AdminClient) async throws -> Set<[UInt8]> {
        let answer = try await admin.send("GET", "/audit/export")
        var names: Set<[UInt8]> = []
        for line in answer.body.split(separator: UInt8(ascii: "\n")) {
            let entry = try JSONValue(parsing: Data(line), limits: .adminBody)
            let details = try entry["details"]?.string.map {
                try JSONValue(parsing: Data($0.utf8), limits: .adminBody)
            }
            names.formUnion([entry["subject"], details?["identifier"]].compactMap { $0?.string.map(Self.bytes) })
        }
        return names
    }
}
