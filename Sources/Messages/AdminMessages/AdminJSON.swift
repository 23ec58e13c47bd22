package import Foundation

/// How the values of the administrator's API are written: keys sorted, slashes plain, dates in UTC with milliseconds.
package enum AdminJSON {
    /// The bytes of a value as they are sent.
    package static func encode(_ value: some Encodable) throws -> Data {
        try encoder(pretty: false).encode(value)
    }

    /// The bytes of a value laid out for people and for diffs.
    package static func encodePretty(_ value: some Encodable) throws -> Data {
        try encoder(pretty: true).encode(value)
    }

    /// Reads a value.
    ///
    /// The caller has bounded `data`.
    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = date(parsing: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date is ISO 8601 in UTC")
            }
            return date
        }
        return try decoder.decode(type, from: data)
    }

    /// The text of a moment, such as `2026-11-21T14:00:00.000Z`.
    package static func text(of date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The moment a text names, with or without a fraction of a second.
    package static func date(parsing text: String) -> Date? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }

    private static func encoder(pretty: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(text(of: date))
        }
        return encoder
    }
}
