import Foundation
import SwiftCompiler
import Testing

/// What is declared, and what therefore cannot be written.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PublicDeclarationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    /// S4-API-01, S4-DATA-01: exactly four providers are public, and nothing beside the framework's types but the status,
    /// what stands in for a configuration, and the part of Apple's Security framework that secrets need.
    @Test func thePublicTypesAreTheFrameworksAndTheStatus() throws {
        let folder = Self.root.appending(path: "Sources/Device/ManagedApp")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var types: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            // At the margin: what is nested belongs to a type that is listed.
            for line in text.split(separator: "\n")
            where line.hasPrefix("public ") && !line.hasPrefix("public import ") {
                guard !line.hasPrefix("public func "), !line.hasPrefix("public let "),
                    !line.hasPrefix("public typealias ")
                else { continue }
                let words = line.split { !$0.isLetter }.map(String.init)
                types += words.drop { $0.first?.isLowercase == true }.prefix(1)
            }
        }
        #expect(
            types.sorted() == [
                "LegacyConfiguration", "ManagedAppCertificatesProvider", "ManagedAppConfigurationDecodingError",
                "ManagedAppConfigurationDecodingErrorCode", "ManagedAppConfigurationProvider", "ManagedAppDemo",
                "ManagedAppError",
                "ManagedAppIdentitiesProvider", "ManagedAppPasswordsProvider", "ManagedAppStatus", "SecCertificate",
                "SecIdentity", "SecKey", "SecKeyAlgorithm", "SecKeyOperationType",
            ])
    }

    /// S4-API-10: what an administrator set can be read and not be assigned: the compiler says so.
    @Test(arguments: [
        ("config.managedCollection = nil", "managedCollection"), ("config.assetURL = nil", "assetURL"),
        ("config.managedCollection?.title = \"\"", "title"),
        ("config.managedCollection?.landmarks.removeAll()", "landmarks"),
    ])
    func theSampleConfigurationIsReadOnly(assignment: String, property: String) async throws {
        let reading = "_ = (config.managedCollection?.title, config.managedCollection?.landmarks, config.assetURL)"
        let read = try await typecheck(reading)
        #expect(read.status == 0, "\(read.text)")
        let assigned = try await typecheck(assignment)
        #expect(assigned.status != 0)
        #expect(assigned.text.contains("'\(property)' is a 'let' constant"), "\(assigned.text)")
    }

    // Has the compiler judge a statement about a configuration of the sample app.
    private func typecheck(_ statement: String) async throws -> SwiftCompiler.Judgement {
        try await SwiftCompiler.judge(
            "func change(_ config: inout LandmarksManagedConfig) { \(statement) }", named: "Change",
            with: ["LandmarksManagedConfig", "Landmark"].map {
                Self.root.appending(path: "Examples/Landmarks/\($0).swift")
            }, ["-parse-as-library", "-module-name", "Landmarks"])
    }
}
