import Foundation
import GuideBlocks
import Testing

/// The changelog says what is new in each version.
struct ChangelogTests {
    /// Red where the changelog has no versions, or was forgotten when the version was raised.
    @Test func itsNewestPartIsThatOfTheVersionOfThePrograms() throws {
        let source = try Self.text("Sources/Messages/DeviceMessages/MartletRelease.swift")
        let version = try #require(source.firstMatch(of: /static let version = "([^"]+)"/)).1
        let parts = try Self.text("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        let newest = try #require(parts.first)
        #expect(newest.split(separator: " ").dropFirst().first == version)
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Guide.tree.appending(path: path), encoding: .utf8)
    }
}
