import Foundation
import Testing

/// What is declared, and what therefore cannot be written.
@Suite(.serialized, .timeLimit(.minutes(2)))
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
    private func typecheck(_ statement: String) async throws -> (status: Int32, text: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString).swift")
        try "func change(_ config: inout LandmarksManagedConfig) { \(statement) }"
            .write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let built = URL(filePath: tests).deletingLastPathComponent()
        // The test bundle may sit one or two directories below the products.
        let name = "ManagedAppSpecificationMacros-tool"
        let plugin = try #require(
            [".", "..", "../.."].map { built.appending(path: "\($0)/\(name)").standardizedFileURL.path }
                .first { FileManager.default.fileExists(atPath: $0) })
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-module-name", "Landmarks",
                "-I", built.appending(path: "Modules").path,
                "-load-plugin-executable",
                plugin + "#ManagedAppSpecificationMacros",
                "-Xcc", "-fmodule-map-file=" + built.appending(path: "CLinux.build/module.modulemap").path, file.path,
            ]
            + ["LandmarksManagedConfig", "Landmark"].map {
                Self.root.appending(path: "Examples/Landmarks/\($0).swift").path
            }
        // Into a file: whoever waits for a pipe here keeps a thread from the other tests.
        let output = file.appendingPathExtension("txt")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let writer = try FileHandle(forWritingTo: output)
        process.standardOutput = writer
        process.standardError = writer
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        try writer.close()
        return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
    }
}
