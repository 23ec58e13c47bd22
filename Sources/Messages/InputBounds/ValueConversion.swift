import Foundation

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

extension JSONValue {
    /// A property list in JSON for those who read nothing else: what JSON has no form for is text.
    ///
    /// A date is written as `YYYY-MM-DDThh:mm:ssZ`, data in base64, a real that is not finite as `nan`, `infinity` or
    /// `-infinity`, an integer above 63 bits in digits.
    package init(describing value: PropertyListValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .string("\(number)")
        case .real(let number):
            if number.isFinite {
                self = .real(number)
            } else {
                self = .string(number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity")
            }
        case .boolean(let flag): self = .boolean(flag)
        case .date(let date): self = .string(PropertyListValue.text(of: date))
        case .data(let data): self = .string(data.base64EncodedString())
        case .array(let items): self = .array(items.map(JSONValue.init(describing:)))
        case .dictionary(let entries): self = .object(entries.mapValues(JSONValue.init(describing:)))
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
