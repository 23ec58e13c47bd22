import InputBounds

/// The shape of a JSON value, as far as the API's description needs shapes.
indirect enum Schema: Sendable, Equatable {
    case string
    case date
    case integer
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
        case .integer: .object(["type": .string("integer")])
        case .boolean: .object(["type": .string("boolean")])
        case .any: .object([:])
        case .array(let element): .object(["type": .string("array"), "items": element.json])
        case .map(let value): .object(["type": .string("object"), "additionalProperties": value.json])
        case .oneOf(let words): .object(["type": .string("string"), "examples": .array(words.map(JSONValue.string))])
        case .named(let name): .object(["$ref": .string("#/components/schemas/\(name)")])
        case .object(let members): Self.json(of: members)
        }
    }

    /// Looks for a member that the schema does not have: the names of those it has there, or nothing if all are known.
    func membersBesideUnknown(in value: JSONValue) -> [String]? {
        switch self {
        case .named(let name): return AdminSchemas.all[name]?.membersBesideUnknown(in: value)
        case .array(let element): return value.array?.lazy.compactMap(element.membersBesideUnknown).first
        case .object(let members):
            for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let known = members.first(where: { $0.name == name }) else { return members.map(\.name) }
                if let names = known.schema.membersBesideUnknown(in: member) { return names }
            }
            return nil
        case .string, .date, .integer, .boolean, .any, .map, .oneOf: return nil
        }
    }

    private static func json(of members: [Member]) -> JSONValue {
        var object: [String: JSONValue] = [
            "type": .string("object"),
            "properties": .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema.json) })),
        ]
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return .object(object)
    }
}
