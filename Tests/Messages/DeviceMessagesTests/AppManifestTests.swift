import DeviceMessages
import Foundation
import InputBounds
import Testing

struct AppManifestTests {
    @Test func readsWhichAppItIsAndWhereItsPackageLies() throws {
        let manifest = try AppManifest(parsing: Golden.data("app-manifest.plist"))
        #expect(manifest.bundleIdentifier == "com.example.Landmarks")
        #expect(manifest.bundleVersion == "42")
        #expect(manifest.title == "Landmarks")
        #expect(manifest.url == "https://apps.example.com/landmarks-42.app.tar.zst")
        guard case .pieces(let size, let digests) = manifest.check else {
            Issue.record("the digests of the pieces were not read")
            return
        }
        #expect(size == 1_048_576)
        #expect(digests.map(\.count) == [32, 32])
        #expect(try AppManifest(parsing: manifest.encoded()) == manifest)
    }

    @Test func theDigestOfTheWholeWinsOverThoseOfPieces() throws {
        let digest = String(repeating: "ab", count: 32)
        let manifest = try Self.manifest([
            "sha256": .string(digest), "sha256-size": .integer(10), "sha256s": .array([]),
        ])
        #expect(manifest.check == .whole(Data(repeating: 0xAB, count: 32)))
    }

    @Test(arguments: [
        (["sha256-size": PropertyListValue.integer(10)], "the keys sha256-size and sha256s need each other"),
        (["sha256s": .array([])], "the keys sha256-size and sha256s need each other"),
        (["sha256-size": .integer(0), "sha256s": .array([])], "the key sha256-size does not fit"),
        (["sha256": .string("abcd")], "the key sha256 is not a digest"),
        (["url": .string("http://apps.example.com/a")], "the key url is not an https URL"),
        (["kind": .string("display-image")], "a manifest names exactly one package"),
    ])
    func refusesAPackageThatCannotBeHadOrChecked(keys: [String: PropertyListValue], rule: String) {
        #expect(throws: InputRefusal(rule: rule)) { try Self.manifest(keys) }
    }

    @Test func refusesAManifestOfSeveralApps() throws {
        let one = PropertyListValue.dictionary([:])
        let two = PropertyListValue.dictionary(["items": .array([one, one])])
        #expect(throws: InputRefusal(rule: "a manifest describes exactly one item")) {
            try AppManifest(parsing: two.xml())
        }
    }

    @Test func trustInTeamsIsReadAsItWasWritten() throws {
        let trust = AppTrustConfiguration(teams: [Data([0x30, 0x00]), Data([0x30, 0x01, 0x02])])
        #expect(try AppTrustConfiguration(payload: trust.payload) == trust)
        let tooMany = AppTrustConfiguration(teams: Array(repeating: Data([0x30]), count: 65))
        #expect(throws: InputRefusal(rule: "the key Teams has too many entries")) {
            try AppTrustConfiguration(payload: tooMany.payload)
        }
    }

    private static func manifest(_ keys: [String: PropertyListValue]) throws -> AppManifest {
        var package: [String: PropertyListValue] = [
            "kind": .string("software-package"), "url": .string("https://apps.example.com/a"),
        ]
        package.merge(keys) { _, new in new }
        let metadata: [String: PropertyListValue] = [
            "bundle-identifier": .string("com.example.a"), "kind": .string("software"), "title": .string("A"),
        ]
        let item = PropertyListValue.dictionary([
            "assets": .array([.dictionary(package)]), "metadata": .dictionary(metadata),
        ])
        return try AppManifest(parsing: PropertyListValue.dictionary(["items": .array([item])]).xml())
    }
}
