import AppSpecification
import Foundation
import TestInputs
import Testing

/// Whoever imports a file did not write it.
struct FormatFuzzTests {
    private static let tokens = [
        "<", ">", "/>", "\"", "&", "&amp;", "&#0;", "&#x10FFFF;", "<!DOCTYPE x>", "<![CDATA[", "]]>", "<!--", "<?", "{",
        "}", "[",
        "]", ":", ",", "null", "true", "-1", "1e999", "\"$ref\":\"#\"", "\"items\":[", "\"required\":true", "(?=",
        "\\u0000",
        "keyName", "value", "nullable", "pfm_name", "pfm_type", "pfm_subkeys", "<dict>", "</dict>", "<array>",
        "@string/x",
    ]

    @Test(arguments: SpecificationFormat.allCases)
    func damagedFilesAreRefusedOrReadAndWhatIsReadCanBeWritten(format: SpecificationFormat) throws {
        let files = try Golden.inputs(format.rawValue).map(Golden.data)
        var random = SplitMix64(seed: Mutation.seed)
        var read = 0
        for _ in 0..<Mutation.iterations / 2 {
            let file = files.randomElement(using: &random) ?? Data()
            let damaged = Mutation.mutate(file, with: files, tokens: Self.tokens, using: &random)
            _ = SpecificationFormat.detected(in: damaged)
            guard let found = try? SpecificationFormat.read(damaged, as: format, bundleIdentifier: "com.example.app")
            else {
                continue
            }
            read += 1
            let other = SpecificationFormat.allCases.randomElement(using: &random) ?? .jamf
            guard let written = try? SpecificationFormat.write(found.value, as: other) else { continue }
            #expect(throws: Never.self) {
                _ = try SpecificationFormat.read(written.value, as: other, bundleIdentifier: "com.example.app")
            }
        }
        #expect(read > 0)
    }

    private static let propertyLists = Attacks.propertyLists.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }

    @Test(arguments: SpecificationFormat.allCases, propertyLists)
    func attacksOnPropertyListsAreRefused(format: SpecificationFormat, attack: (name: String, data: Data)) {
        #expect(throws: SpecificationRefusal.self, "\(attack.name)") {
            try SpecificationFormat.read(attack.data, as: format, bundleIdentifier: "com.example.app")
        }
    }

    @Test(arguments: SpecificationFormat.allCases, [100, 100_000])
    func deepDocumentsAreRefused(format: SpecificationFormat, depth: Int) {
        let pairs = [
            "managedAppConfiguration": "dict", "restrictions": "restriction",
            "{\"properties\":": "{\"a\":{\"properties\":",
        ]
        for (first, inner) in pairs {
            let text =
                first.hasPrefix("{")
                ? first + String(repeating: inner, count: depth)
                : "<\(first)>" + String(repeating: "<\(inner)>", count: depth)
                    + String(repeating: "</\(inner)>", count: depth)
                    + "</\(first)>"
            #expect(throws: SpecificationRefusal.self) {
                try SpecificationFormat.read(Data(text.utf8), as: format, bundleIdentifier: "com.example.app")
            }
        }
    }

    /// Schemas that lie in one another by reference, and conditions that multiply, end all the same.
    @Test func referencesInCirclesAreRead() throws {
        let text = #"""
            {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$ref": "#/definitions/b"},
            "b": {"properties": {"a": {"$ref": "#/definitions/a"}}}}, "properties": {"a": {"$ref": "#/definitions/a"}}}
            """#
        let found = try SpecificationFormat.read(Data(text.utf8), bundleIdentifier: "com.example.app").value
        for format in SpecificationFormat.allCases where format != .jsonSchema {
            _ = try? SpecificationFormat.write(found, as: format)
        }
        #expect(found.configuration["a"]?["a"]?.others == ["$ref"])
    }
}
