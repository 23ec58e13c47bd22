/// The types that a value may have.
struct SchemaTypes: OptionSet, Sendable {
    let rawValue: Int

    static let null = SchemaTypes(rawValue: 1)
    static let boolean = SchemaTypes(rawValue: 2)
    static let integer = SchemaTypes(rawValue: 4)
    /// Integers too.
    static let number = SchemaTypes(rawValue: 8)
    static let string = SchemaTypes(rawValue: 16)
    static let array = SchemaTypes(rawValue: 32)
    static let object = SchemaTypes(rawValue: 64)
    /// A text of the format `date-time`; in a property list a date.
    static let date = SchemaTypes(rawValue: 128)
    /// A text in base64; in a property list data.
    static let data = SchemaTypes(rawValue: 256)
    /// Integers above 63 bits: what most decoders refuse, unless a maximum says that the app takes them.
    static let large = SchemaTypes(rawValue: 512)

    private static let names: [(type: SchemaTypes, word: String, phrase: String)] = [
        (.null, "null", "null"), (.boolean, "boolean", "a boolean"), (.integer, "integer", "an integer"),
        (.number, "number", "a number"), (.string, "string", "text"), (.array, "array", "a list"),
        (.object, "object", "a dictionary"),
    ]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// A type by its word in a schema.
    init?(word: String) {
        guard let known = Self.names.first(where: { $0.word == word }) else { return nil }
        self = known.type
    }

    func contains<Value: SchemaInstance>(_ value: InstanceView<Value>) -> Bool {
        switch value {
        case .null: contains(.null)
        case .boolean: contains(.boolean)
        case .integer: !isDisjoint(with: [.integer, .number])
        case .unsigned: !isDisjoint(with: [.large, .number])
        case .real(let real): contains(.number) || hasWhole(SchemaNumber(real))
        case .string:
            Value.isPropertyList ? contains(.string) : !isDisjoint(with: [.string, .date, .data])
        case .date: contains(.date)
        case .data: contains(.data)
        case .array: contains(.array)
        case .object: contains(.object)
        }
    }

    /// Whether a real is one of the integers that are asked for: decoders take it for one if it is of so many bits.
    private func hasWhole(_ number: SchemaNumber) -> Bool {
        switch number {
        case .integer: contains(.integer)
        case .unsigned: contains(.large)
        case .real: false
        }
    }

    /// For people.
    var phrase: String {
        var phrases = Self.names.filter { contains($0.type) }.map(\.phrase)
        if contains(.date) { phrases.append("a date") }
        if contains(.data) { phrases.append("data") }
        return phrases.count < 2
            ? phrases.joined() : phrases.dropLast().joined(separator: ", ") + " or " + phrases[phrases.count - 1]
    }
}
