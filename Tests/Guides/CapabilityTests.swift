import Foundation
import GuideBlocks
import Testing

/// S1-ENV-03, S0-PHIL-02: a feature stands in the list of what an app can rely on because a test shows it.
struct CapabilityTests {
    private static func rows() throws -> [[String]] {
        let page = Guide.tree.appending(path: "docs/Martlet.docc/Capabilities.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { row in
                row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    @Test func everyFeatureNamesATestThatIsThere() throws {
        let features = try Self.rows().filter { $0.count == 3 && $0[2] != "shown by" && $0[2] != "---" }
        #expect(features.count > 25)
        let suites = try Self.suites()
        for feature in features {
            let named = feature[2].split(separator: "`").map(String.init).filter { $0.hasSuffix("Tests") }
            #expect(!named.isEmpty, "\(feature[0]) is shown by nothing")
            for suite in named { #expect(suites.contains(suite), "\(feature[0]): there is no \(suite)") }
        }
    }

    @Test func whatIsNotThereHasAnAnswer() throws {
        let missing = try Self.rows().filter { $0.count == 2 && $0[1] != "---" }
        #expect(missing.count > 5)
        for row in missing { #expect(!row.contains(""), "\(row)") }
    }

    // The suites of the tree: types whose names end in Tests.
    private static func suites() throws -> Set<String> {
        let folder = Guide.tree.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var suites: Set<String> = []
        for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?:struct|class) (\w+Tests)\b/) { suites.insert(String(match.1)) }
        }
        return suites
    }
}
