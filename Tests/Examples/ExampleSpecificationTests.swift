import AppSpecification
import Foundation
import ManagedAppSpecification
import Testing
import TunnelConfiguration

@testable import Browser
@testable import Greeter
@testable import Landmarks
@testable import Licensing
@testable import Workplace

/// What each example app publishes is what its own code says: A15.
struct ExampleSpecificationTests {
    private static let published: [(file: String, specification: @Sendable () throws -> PublishedSpecification)] = [
        ("Browser", { try BrowserConfig.specification }), ("Greeter", { try GreeterConfig.specification }),
        ("Landmarks", { try LandmarksManagedConfig.specification }),
        ("Licensing", { try LicensingConfig.specification }), ("Tunnel", { try TunnelAppConfig.specification }),
        ("Workplace", { try WorkplaceConfig.specification }),
    ]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples")

    /// Renaming a key without publishing it anew fails here; `MARTLET_RECORD=1` writes the files.
    @Test(arguments: published.map(\.file)) func whatIsPublishedIsWhatTheCodeSays(app: String) throws {
        let one = try #require(Self.published.first { $0.file == app })
        try one.specification().check(
            publishedAt: Self.folder.appending(path: "\(app)/specification.json").standardizedFileURL.path)
    }

    /// S4-FLOW-11: nothing is missing that a reader looks for.
    @Test(arguments: published.map(\.file)) func nothingIsToBeSaidAgainstIt(app: String) throws {
        let one = try #require(Self.published.first { $0.file == app })
        let lint = try one.specification().specification.lint().map(\.description)
        #expect(lint.isEmpty)
    }
}
