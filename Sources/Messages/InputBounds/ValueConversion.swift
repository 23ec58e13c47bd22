extension JSONValue {
    /// The JSON form of a property list, where there is one: dates, data and reals that are not finite have none.
    package init(propertyList value: PropertyListValue) throws(InputRefusal) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number):
            guard let signed = Int64(exactly: number) else {
                throw InputRefusal("JSON here holds no integer above 63 bits")
            }
            self = .integer(signed)
        case .real(let number):
            guard number.isFinite else { throw InputRefusal("JSON has no form for a real that is not finite") }
            self = .real(number)
        case .boolean(let flag): self = .boolean(flag)
        case .date: throw InputRefusal("JSON has no form for a date")
        case .data: throw InputRefusal("JSON has no form for data")
        case .array(let items):
            var converted: [JSONValue] = []
            converted.reserveCapacity(items.count)
            for item in items { converted.append(try JSONValue(propertyList: item)) }
            self = .array(converted)
        case .dictionary(let entries):
            var converted: [String: JSONValue] = [:]
            for (key, entry) in entries { converted[key] = try JSONValue(propertyList: entry) }
            self = .object(converted)
        }
    }
}

extension PropertyListValue {
    /// The property-list form of a JSON document, where there is one: `null` and texts with NUL have none.
    package init(json value: JSONValue) throws(InputRefusal) {
        switch value {
        case .null: throw InputRefusal("a property list has no form for null")
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .string(let text):
            try Self.refuseNUL(text)
            self = .string(text)
        case .array(let items):
            var converted: [PropertyListValue] = []
            converted.reserveCapacity(items.count)
            for item in items { converted.append(try PropertyListValue(json: item)) }
            self = .array(converted)
        case .object(let entries):
            var converted: [String: PropertyListValue] = [:]
            for (key, entry) in entries {
                try Self.refuseNUL(key)
                converted[key] = try PropertyListValue(json: entry)
            }
            self = .dictionary(converted)
        }
    }

    private static func refuseNUL(_ text: String) throws(InputRefusal) {
        guard !text.utf8.contains(0) else { throw InputRefusal("a text holds a NUL") }
    }
}
