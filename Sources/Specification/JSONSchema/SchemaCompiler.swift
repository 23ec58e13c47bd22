import Foundation
import InputBounds
import Patterns

/// Reads a schema's keywords into rules.
struct SchemaCompiler {
    private let document: JSONValue
    let omitted: Set<SchemaRule>
    private var nodes: [SchemaNode] = []
    private var indices: [String: Int] = [:]
    private var anchors: [String: String] = [:]
    private var references: [(node: Int, rule: Int, target: String, place: String)] = []
    private var bytesOfPlaces = 0
    private var stepsOfPatterns = 0

    // Keywords that assert what is not looked at here: a value that they forbid would pass.
    private static let unsupported: [String: String] = [
        "unevaluatedProperties": "use additionalProperties", "unevaluatedItems": "use items",
        "$dynamicRef": "use $ref", "$recursiveRef": "use $ref", "$vocabulary": "leave it out",
        "dependencies": "use dependentRequired or dependentSchemas", "additionalItems": "use prefixItems and items",
        "extends": "use allOf", "disallow": "use not", "divisibleBy": "use multipleOf",
    ]

    init(_ document: JSONValue, leavingOut omitted: Set<SchemaRule>) {
        self.document = document
        self.omitted = omitted
    }

    mutating func compile() throws(SchemaRefusal) -> [SchemaNode] {
        if let dialect = document["$schema"]?.string, dialect != "https://json-schema.org/draft/2020-12/schema" {
            throw unsupported("/$schema", "only JSON Schema 2020-12 is read")
        }
        _ = try node(document, at: "")
        // What they lead to may hold more of them.
        var resolved = 0
        while resolved < references.count {
            let reference = references[resolved]
            resolved += 1
            let node = try resolve(reference.target, at: reference.place)
            nodes[reference.node].rules[reference.rule] = .reference(node)
        }
        return nodes
    }

    // MARK: One schema

    mutating func node(_ schema: JSONValue, at place: String) throws(SchemaRefusal) -> Int {
        if let known = indices[place] { return known }
        bytesOfPlaces += place.utf8.count
        guard nodes.count < SchemaLimits.nodes, bytesOfPlaces <= SchemaLimits.places else {
            throw refusal("", "there are too many schemas in one, or their names are too long")
        }
        let index = nodes.count
        indices[place] = index
        nodes.append(SchemaNode(place: place))
        switch schema {
        case .boolean(let allows): if !allows, keeps(.nothing) { nodes[index].rules = [.nothing] }
        case .object(let keywords): try read(keywords, into: index, at: place)
        default: throw refusal(place, "a schema is an object, true or false")
        }
        return index
    }

    private mutating func read(
        _ keywords: [String: JSONValue], into index: Int, at place: String
    ) throws(SchemaRefusal) {
        for (keyword, advice) in Self.unsupported where keywords[keyword] != nil {
            throw unsupported(place + "/" + keyword, "\(keyword) is not implemented: \(advice)")
        }
        if keywords["$id"] != nil, !place.isEmpty {
            throw unsupported(place + "/$id", "$id inside a schema is not implemented: use $defs and $ref")
        }
        if let anchor = keywords["$anchor"]?.string { anchors[anchor] = place }
        var (rules, types) = try valueRules(keywords, at: place)
        nodes[index].types = types
        rules += try listRules(keywords, at: place)
        rules += try dictionaryRules(keywords, at: place)
        rules += try logicRules(keywords, at: place)
        if let target = keywords["$ref"] {
            guard let target = target.string else { throw refusal(place + "/$ref", "a reference is a text") }
            if keeps(.reference) {
                references.append((index, rules.count, target, place + "/$ref"))
                rules.append(.nothing)
            }
        }
        nodes[index].rules = rules
        // Their anchors may be meant anywhere.
        for (name, definition) in try schemas(keywords, "$defs", at: place) {
            _ = try node(definition, at: place + "/$defs/" + Self.escaped(name))
        }
    }

    // MARK: References

    private mutating func resolve(_ target: String, at place: String) throws(SchemaRefusal) -> Int {
        var fragment = target[...]
        if let own = document["$id"]?.string, fragment.hasPrefix(own) { fragment = fragment.dropFirst(own.count) }
        guard fragment.isEmpty || fragment.hasPrefix("#") else {
            throw unsupported(place, "a reference leads out of the document: nothing is fetched")
        }
        guard let pointer = String(fragment.dropFirst()).removingPercentEncoding else {
            throw refusal(place, "a reference is not percent-encoded rightly")
        }
        if let anchor = anchors[pointer] { return indices[anchor] ?? 0 }
        guard pointer.isEmpty || pointer.utf8.first == UInt8(ascii: "/") else {
            throw refusal(place, "a reference leads nowhere")
        }
        var value: JSONValue = document
        var canonical = ""
        // By scalars, as the names of keys are: one may begin with a combining mark.
        for part in pointer.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = String(part).replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~")
            guard let next = Self.part(name, of: value) else { throw refusal(place, "a reference leads nowhere") }
            value = next
            canonical += "/" + Self.escaped(name)
        }
        return try node(value, at: canonical)
    }

    private static func part(_ name: String, of value: JSONValue) -> JSONValue? {
        guard let items = value.array else { return value[name] }
        guard let index = Int(name), items.indices.contains(index) else { return nil }
        return items[index]
    }

    static func escaped(_ name: String) -> String {
        name.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
    }

    // MARK: Keywords by their type

    func keeps(_ rule: SchemaRule) -> Bool { !omitted.contains(rule) }

    func refusal(_ place: String, _ rule: String) -> SchemaRefusal {
        SchemaRefusal(place: place, rule: rule, isUnsupported: false)
    }

    func unsupported(_ place: String, _ rule: String) -> SchemaRefusal {
        SchemaRefusal(place: place, rule: rule, isUnsupported: true)
    }

    func number(_ value: JSONValue, at place: String) throws(SchemaRefusal) -> SchemaNumber {
        switch value {
        case .integer(let value): return .integer(value)
        case .real(let value): return SchemaNumber(value)
        default: throw refusal(place, "is no number")
        }
    }

    mutating func pattern(_ source: String, at place: String) throws(SchemaRefusal) -> Pattern {
        do {
            let pattern = try Pattern(source, most: SchemaLimits.patterns - stepsOfPatterns)
            stepsOfPatterns += pattern.steps
            return pattern
        } catch {
            throw refusal(place, "the pattern cannot be used: \(error)")
        }
    }

    /// A number of things; it may be written 2.0.
    func count(_ value: JSONValue, at place: String) throws(SchemaRefusal) -> Int {
        guard case .integer(let count) = try number(value, at: place), count >= 0 else {
            throw refusal(place, "is no whole number of 0 or more")
        }
        return Int(count)
    }

    func strings(_ value: JSONValue, at place: String) throws(SchemaRefusal) -> [String] {
        guard let items = value.array else { throw refusal(place, "is no list of texts") }
        let strings = items.compactMap(\.string)
        guard strings.count == items.count else { throw refusal(place, "is no list of texts") }
        return strings
    }

    /// The schemas under the names of an object, in the order of the names.
    func schemas(
        _ keywords: [String: JSONValue], _ keyword: String, at place: String
    ) throws(SchemaRefusal) -> [(name: String, schema: JSONValue)] {
        guard let value = keywords[keyword] else { return [] }
        guard let entries = value.object else { throw refusal(place + "/" + keyword, "is no object of schemas") }
        return entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func list(
        _ keywords: [String: JSONValue], _ keyword: String, at place: String
    ) throws(SchemaRefusal) -> [JSONValue]? {
        guard let value = keywords[keyword] else { return nil }
        guard let items = value.array, !items.isEmpty else {
            throw refusal(place + "/" + keyword, "is no list of at least one schema")
        }
        return items
    }
}
