import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import Testing

/// The conformance kit: `Tests/Specification/Conformance`, whose README says how it is written.
enum ConformanceKit {
    /// Configurations and what one specification has to say of each.
    struct Group: CustomTestStringConvertible, Sendable {
        let file: String
        let about: String
        let rule: String
        let specification: JSONValue
        let cases: [Case]

        var testDescription: String { "\(file): \(about)" }
    }

    struct Case: Sendable {
        let name: String
        let configuration: PropertyListValue
        let errors: [Expected]
        let warnings: [Expected]
    }

    /// A finding that there has to be.
    struct Expected: Hashable, Sendable {
        let path: String
        let rule: String
        /// Its suggestion, or that it has none; nothing where the kit does not say.
        let suggestion: Suggestion?

        var place: String { path + ": " + rule }

        enum Suggestion: Hashable { case nothing, text(String) }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Conformance").standardizedFileURL

    static func groups() throws -> [Group] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try names.sorted().flatMap(groups(in:))
    }

    private static func groups(in file: String) throws -> [Group] {
        let data = try Data(contentsOf: folder.appending(path: file))
        let document = try JSONValue(parsing: data, limits: SchemaLimits.document)
        return try #require(document.array, "\(file)").map { group in
            let about = try #require(group["about"]?.string, "\(file)")
            return Group(
                file: file, about: about, rule: try #require(group["rule"]?.string, "\(about)"),
                specification: try specification(group),
                cases: try #require(group["cases"]?.array, "\(about)").map(oneCase))
        }
    }

    private static func specification(_ group: JSONValue) throws -> JSONValue {
        guard let keys = group["keys"] else { return try #require(group["specification"]) }
        return .object([
            "x-app": .object(["bundleIdentifier": .string("com.example.kit")]), "type": .string("object"),
            "properties": keys,
        ])
    }

    private static func oneCase(_ value: JSONValue) throws -> Case {
        let name = try #require(value["name"]?.string)
        // Said outright, so that a misspelled word does not make a case that always passes.
        let isValid = value["valid"] == .boolean(true)
        try #require(isValid != (value["errors"] != nil || value["warnings"] != nil), "\(name)")
        return Case(
            name: name, configuration: try propertyList(try #require(value["configuration"], "\(name)")),
            errors: try expected(value["errors"]), warnings: try expected(value["warnings"]))
    }

    private static func expected(_ value: JSONValue?) throws -> [Expected] {
        try (value?.array ?? []).map { finding in
            Expected(
                path: try #require(finding["path"]?.string), rule: try #require(finding["rule"]?.string),
                suggestion: finding["suggests"].map { $0.string.map { .text($0) } ?? .nothing })
        }
    }

    /// The property list that is written as JSON.
    static func propertyList(_ value: JSONValue) throws -> PropertyListValue {
        switch value {
        case .array(let items): return .array(try items.map(propertyList))
        case .object(let entries):
            guard entries.count == 1, let (tag, content) = entries.first, tag.hasPrefix("$") else {
                return .dictionary(try entries.mapValues(propertyList))
            }
            let text = try #require(content.string)
            switch tag {
            case "$date": return .date(try #require(PropertyListValue.date(parsing: text)))
            case "$data": return .data(try #require(Data(base64Encoded: text)))
            case "$integer": return .number(try #require(UInt64(text)))
            case "$real":
                return .real(try #require(["nan": .nan, "infinity": .infinity, "-infinity": -.infinity][text]))
            default: throw InputRefusal(rule: "no such tag: \(tag)")
            }
        default: return try PropertyListValue(json: value)
        }
    }
}
