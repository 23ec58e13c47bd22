import AdminMessages
import Foundation
import Management
import TestInputs
import Testing

@testable import ServerHTTP

/// C10: a short list that is read page by page while its rows come and go.
@Suite struct ShortListTests {
    /// What was there all along is shown once, whatever else came or went before and behind the place.
    ///
    /// Red while a cursor was the number of rows before it: one row removed before the place and the next was skipped, one
    /// added and the last was shown again.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func whatStaysIsShownOnce(seed: UInt64) {
        expectEachOnce(ShortList<AdminMessages.Administrator>.administrators, seed: seed, \.name) { number in
            Self.administrator("name-\(number)")
        }
        expectEachOnce(ShortList<AdminMessages.Package>.packages, seed: seed, \.sha256) { number in
            Self.package("\(number)", uploaded: Date(timeIntervalSince1970: Double(number % 7)))
        }
        expectEachOnce(ShortList<SpecificationSummary>.specifications, seed: seed, \.version) { number in
            SpecificationSummary(
                version: "\(number % 3).\(number)", sha256: "", size: 1, author: "a",
                added: Date(timeIntervalSince1970: 1))
        }
    }

    private func expectEachOnce<Item: Codable & Sendable>(
        _ order: ShortList<Item>, seed: UInt64, _ name: (Item) -> String, _ item: (UInt64) -> Item
    ) {
        var random = SplitMix64(seed: seed)
        var number: UInt64 = 0
        func next() -> Item {
            number += 1
            return item(random.next(upperBound: UInt64(1_000)) &* 1_000 &+ number)
        }
        let steady = (0..<20).map { _ in next() }
        var others = (0..<20).map { _ in next() }
        var shown: [String] = []
        var cursor: String?
        repeat {
            let page = order.page(of: (steady + others).shuffled(using: &random), PageRequest(after: cursor, limit: 3))
            #expect(page.items.count <= 3)
            shown += page.items.map(name)
            cursor = page.next
            for _ in 0..<2 where !others.isEmpty { others.removeFirst() }
            for _ in 0..<Int(random.next(upperBound: UInt64(3))) where others.count < 40 { others.append(next()) }
            // The rest comes to an end, as a fleet's administrators do.
            if shown.count > 200 { others = [] }
        } while cursor != nil && shown.count < 400
        for name in steady.map(name) { #expect(shown.count { $0 == name } == 1, "\(name), seed \(seed)") }
        #expect(Set(shown).count == shown.count, "seed \(seed)")
    }

    /// A list that is cut has the order of the whole list.
    @Test func pagesAreInTheOrderOfTheList() {
        let versions = ["2.10", "2.9", "2.9.0", "1"].map { version in
            SpecificationSummary(
                version: version, sha256: "", size: 1, author: "a", added: Date(timeIntervalSince1970: 1))
        }
        let page = ShortList<SpecificationSummary>.specifications.page(of: versions.reversed(), PageRequest(limit: 9))
        #expect(page.items.map(\.version) == ["2.10", "2.9.0", "2.9", "1"])
        #expect(page.next == nil)
        let packages = [(3.0, "b"), (3.0, "a"), (5.0, "c"), (1.0, "d")].map { time, name in
            Self.package(name, uploaded: Date(timeIntervalSince1970: time))
        }
        #expect(
            ShortList<AdminMessages.Package>.packages.page(of: packages, PageRequest(limit: 9)).items.map(\.sha256) == [
                "c", "a", "b", "d",
            ])
        let sources = [("linux", "manifest"), ("ios", "app-store"), ("linux", "package")].map { platform, origin in
            AdminMessages.AppSource(platform: platform, origin: origin)
        }
        #expect(
            ShortList<AdminMessages.AppSource>.sources.page(of: sources, PageRequest(limit: 9)).items.map(\.origin) == [
                "app-store", "package", "manifest",
            ])
        let refusals = [(1, 10.0), (3, 5.0), (3, 7.0)].map { devices, time in
            AdminMessages.ConfigurationRefusal(devices: devices, since: Date(timeIntervalSince1970: time))
        }
        #expect(
            ShortList<AdminMessages.ConfigurationRefusal>.refusals.page(of: refusals, PageRequest(limit: 9)).items.map(
                \.since.timeIntervalSince1970)
                == [7, 5, 10])
    }

    /// The same over the API: what was removed before the place makes nobody invisible.
    @Test func anAdministratorWhoIsRemovedHidesNobody() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for name in ["b", "c", "d", "e"] {
                    let made = try await admin.send(
                        "POST", "/administrators", AdministratorRequest(name: name, role: .reader))
                    try #require(made.status == 201, "\(made.text)")
                }
                typealias List = AdminMessages.Page<AdminMessages.Administrator>
                let first: List = try await admin.get("/administrators?limit=2")
                #expect(first.items.map(\.name) == ["admin", "b"])
                #expect(try await admin.send("DELETE", "/administrators/b").status == 204)
                let next = try #require(first.next)
                let second: List = try await admin.get("/administrators?limit=2&cursor=\(next)")
                #expect(second.items.map(\.name) == ["c", "d"])
                let last: List = try await admin.get("/administrators?cursor=\(try #require(second.next))")
                #expect(last.items.map(\.name) == ["e"] && last.next == nil)
            }
        }
    }

    private static func administrator(_ name: String) -> AdminMessages.Administrator {
        AdminMessages.Administrator(
            name: name, role: .reader, mustChangePassword: false, created: Date(timeIntervalSince1970: 1))
    }

    private static func package(_ sha256: String, uploaded: Date) -> AdminMessages.Package {
        AdminMessages.Package(
            sha256: sha256, app: "org.example.app", size: 1, title: "App", version: "1", shortVersion: "1", team: "T",
            author: "a", uploaded: uploaded, manifestURL: "")
    }
}
