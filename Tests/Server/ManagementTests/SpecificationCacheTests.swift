import AppSpecification
import Foundation
import InputBounds
import Management
import Testing

/// What was read of a specification is kept, within a bound.
struct SpecificationCacheTests {
    private func document(_ digest: String, _ text: String, size: Int = 100) -> SpecificationDocument {
        SpecificationDocument(
            record: SpecificationRecord(
                app: "a.b", version: "1", sha256: digest, size: size, author: "admin", added: Fixture.start),
            bytes: Data((text + String(repeating: " ", count: max(0, size - text.utf8.count))).utf8))
    }

    private static let good = #"{"x-app": {"bundleIdentifier": "a.b"}}"#

    @Test func whatWasReadOnceIsNotReadAgain() {
        let cache = SpecificationCache(capacityBytes: 1_000)
        #expect(cache.known("d") == nil)
        #expect(cache.read(document("d", Self.good)) != nil)
        // By its digest alone: other bytes would say something else.
        #expect(cache.read(document("d", "no specification")) != nil)
    }

    @Test func whatIsRefusedIsKnownToBe() throws {
        let cache = SpecificationCache(capacityBytes: 1_000)
        #expect(cache.read(document("d", "no specification")) == nil)
        let known = try #require(cache.known("d"))
        #expect(known == nil)
    }

    @Test func noMoreIsKeptThanTheBound() {
        let cache = SpecificationCache(capacityBytes: 1_000)
        for number in 0..<25 { _ = cache.read(document("d\(number)", Self.good)) }
        #expect((0..<25).filter { cache.known("d\($0)") != nil }.count <= 10)
        #expect(cache.known("d24") != nil)
        #expect(cache.read(document("large", Self.good, size: 1_001)) != nil)
        #expect(cache.known("large") == nil && cache.known("d24") != nil)
    }

    /// What a configuration costs that is judged by all of an app's versions: figures to read, for docs/performance.md.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_COST_VERSIONS"] != nil))
    func judgingByManyVersions() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        let app = "com.example.app"
        let versions = min(Int(ProcessInfo.processInfo.environment["MARTLET_COST_VERSIONS"] ?? "") ?? 50, 50)
        try await fixture.enrol()
        try await fixture.assign(app)
        for version in 1...versions {
            let keys = (0..<200).map {
                #""key\#($0)": {"description": "What \#($0) is of \#(version).", "type": "integer", "maximum": 60}"#
            }
            let text = #"{"x-app": {"bundleIdentifier": "\#(app)"}, "properties": {\#(keys.joined(separator: ", "))}}"#
            _ = try #require(
                await management.putSpecification(
                    Data(text.utf8), of: app, version: "\(version)", author: "admin"
                ).value)
        }
        try fixture.restart()
        let anew = try fixture.management
        let clock = ContinuousClock()
        var taken: [Duration] = []
        for number in 0..<6 {
            let bytes = PropertyListValue.dictionary(["key1": .integer(Int64(number))]).xml()
            let start = clock.now
            _ = try await anew.judge(bytes, of: app, toBe: "main")
            taken.append(start.duration(to: clock.now))
        }
        print("COST judging by \(versions) versions: first \(taken[0]), then \(taken.dropFirst().min() ?? .zero)")
    }
}
