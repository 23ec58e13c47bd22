import Foundation
import InputBounds
import JSONSchema
import Testing

/// The JSON Schema organization's own test suite for 2020-12, as far as what is claimed goes.
///
/// `scripts/setup` brings it; what is not claimed is listed here and in docs/Martlet.docc/Specifications.md.
@Suite(.enabled(if: OfficialSuite.isThere, "the suite could not be had"))
struct OfficialSuiteTests {
    @Test(arguments: OfficialSuite.files) func everyCaseOfAClaimedKeywordPasses(file: String) throws {
        var checked = 0
        for group in try OfficialSuite.groups(file) {
            let name = "\(file): \(group.description)"
            let schema: JSONSchema
            do {
                schema = try JSONSchema(group.schema)
            } catch {
                #expect(error.isUnsupported, "\(name): \(error)")
                #expect(OfficialSuite.notClaimed.contains(name), "\(name): \(error)")
                continue
            }
            #expect(!OfficialSuite.notClaimed.contains(name), "\(name) is claimed")
            for test in group.tests {
                let violations = schema.violations(of: test.data)
                #expect(violations.isEmpty == test.isValid, "\(name): \(test.description): \(violations)")
                checked += 1
            }
        }
        #expect(checked > 0 || file == "defs.json")
    }

    /// Only texts, numbers and the like differ: what JSON can say of a property list is judged the same.
    @Test func aPropertyListIsJudgedAsTheSameJSONIs() throws {
        var compared = 0
        for file in OfficialSuite.files {
            for group in try OfficialSuite.groups(file) {
                guard let schema = try? JSONSchema(group.schema) else { continue }
                for test in group.tests {
                    guard let list = try? PropertyListValue(json: test.data) else { continue }
                    let violations = schema.violations(of: list)
                    #expect(violations.isEmpty == test.isValid, "\(file): \(group.description): \(test.description)")
                    compared += 1
                }
            }
        }
        #expect(compared > 800)
    }
}

enum OfficialSuite {
    struct Group {
        let description: String
        let schema: JSONValue
        let tests: [Case]
    }

    struct Case {
        let description: String
        let data: JSONValue
        let isValid: Bool
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.build/interop/json-schema/draft2020-12").standardizedFileURL

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") && !filesNotClaimed.contains($0) }.sorted()
    }()

    /// Of keywords that are refused, and of documents elsewhere.
    private static let filesNotClaimed: Set<String> = [
        "dynamicRef.json", "refRemote.json", "unevaluatedItems.json", "unevaluatedProperties.json", "vocabulary.json",
    ]

    /// What else uses those, or names inside a schema what another document would call it.
    static let notClaimed: Set<String> = [
        "anchor.json: Location-independent identifier with absolute URI",
        "anchor.json: Location-independent identifier with base URI change in subschema",
        "anchor.json: same $anchor with different base uri",
        "defs.json: validate definition against metaschema",
        "not.json: collect annotations inside a 'not', even if collection is disabled",
        "ref.json: $id must be resolved against nearest parent, not just immediate parent",
        "ref.json: Recursive references between schemas",
        "ref.json: URN ref with nested pointer ref",
        "ref.json: order of evaluation: $id and $anchor and $ref",
        "ref.json: order of evaluation: $id and $ref",
        "ref.json: ref creates new scope when adjacent to keywords",
        "ref.json: ref to else",
        "ref.json: ref to if",
        "ref.json: ref to then",
        "ref.json: ref with absolute-path-reference",
        "ref.json: refs with relative uris and defs",
        "ref.json: relative refs with absolute uris and defs",
        "ref.json: remote ref, containing refs itself",
    ]

    static func groups(_ file: String) throws -> [Group] {
        // No text with a NUL is taken anywhere; another control character does as well in schema and data alike.
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            .replacing(#"\u0000"#, with: #"\u0001"#)
        let document = try JSONValue(parsing: Data(text.utf8), limits: SchemaLimits.document)
        return try #require(document.array).map { group in
            Group(
                description: group["description"]?.string ?? "", schema: try #require(group["schema"]),
                tests: try #require(group["tests"]?.array).map { test in
                    Case(
                        description: test["description"]?.string ?? "", data: try #require(test["data"]),
                        isValid: test["valid"] == .boolean(true))
                })
        }
    }
}
