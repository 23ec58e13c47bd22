import InputBounds

/// The shape of a JSON value, as far as the API's description needs shapes.
indirect enum Schema: Sendable, Equatable {
    case string
    case date
    /// Bytes, as RFC 4648 §4 writes them.
    case base64
    case integer
    /// A whole number of a range.
    case whole(ClosedRange<Int>)
    case boolean
    /// Any JSON value.
    case any
    case array(Schema)
    /// An object whose member names are data.
    case map(Schema)
    case oneOf([String])
    /// A named schema of the document.
    case named(String)
    case object([Member])
    /// An object with one of the members, which says what it is.
    case oneMember([Member])
    case anyOf([Schema])
    /// The value, or `null`, by which a merge patch takes it away.
    case orNull(Schema)

    /// A member of an object.
    struct Member: Sendable, Equatable {
        let name: String
        let schema: Schema
        let isRequired: Bool

        static func required(_ name: String, _ schema: Schema) -> Member {
            Member(name: name, schema: schema, isRequired: true)
        }

        static func optional(_ name: String, _ schema: Schema) -> Member {
            Member(name: name, schema: schema, isRequired: false)
        }
    }

    /// One page of a list.
    static func page(of item: String) -> Schema {
        .object([.required("items", .array(.named(item))), .optional("next", .string)])
    }

    /// The schema as JSON Schema writes it.
    var json: JSONValue {
        switch self {
        case .string: .object(["type": .string("string")])
        case .date: .object(["type": .string("string"), "format": .string("date-time")])
        case .base64:
            .object([
                "type": .string("string"), "contentEncoding": .string("base64"),
                "pattern": .string("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"),
            ])
        case .integer: Self.integer(Self.integers)
        case .whole(let range): Self.integer(range)
        case .boolean: .object(["type": .string("boolean")])
        case .any: .object([:])
        case .array(let element): .object(["type": .string("array"), "items": element.json])
        case .map(let value): .object(["type": .string("object"), "additionalProperties": value.json])
        case .oneOf(let words): .object(["type": .string("string"), "examples": .array(words.map(JSONValue.string))])
        case .anyOf(let schemas): .object(["anyOf": .array(schemas.map(\.json))])
        case .orNull(let schema):
            .object(["anyOf": .array([schema.json, .object(["type": .string("null")])])])
        case .named(let name): .object(["$ref": .string("#/components/schemas/\(name)")])
        case .object(let members): .object(Self.json(of: members))
        case .oneMember(let members):
            .object(
                Self.json(of: members).merging(["minProperties": .integer(1), "maxProperties": .integer(1)]) { $1 })
        }
    }

    /// Looks for a member that the schema does not have: the names of those it has there, or nothing if all are known.
    func membersBesideUnknown(in value: JSONValue) -> [String]? {
        switch self {
        case .named(let name): return AdminSchemas.all[name]?.membersBesideUnknown(in: value)
        case .array(let element): return value.array?.lazy.compactMap(element.membersBesideUnknown).first
        case .orNull(let schema): return schema.membersBesideUnknown(in: value)
        case .object(let members), .oneMember(let members):
            for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let known = members.first(where: { $0.name == name }) else { return members.map(\.name) }
                if let names = known.schema.membersBesideUnknown(in: member) { return names }
            }
            return nil
        case .string, .date, .base64, .integer, .whole, .boolean, .any, .map, .oneOf, .anyOf: return nil
        }
    }

    /// The integers that every reader of JSON keeps as they are (RFC 8259 §6).
    static let integers = -9_007_199_254_740_991...9_007_199_254_740_991

    private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
        .object([
            "type": .string("integer"), "minimum": .integer(Int64(range.lowerBound)),
            "maximum": .integer(Int64(range.upperBound)),
        ])
    }

    private static func json(of members: [Member]) -> [String: JSONValue] {
        // Keys: ours.
        var object: [String: JSONValue] = [
            "type": .string("object"),
            "properties": .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema.json) })),
        ]
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return object
    }
}
