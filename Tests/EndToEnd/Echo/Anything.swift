import Foundation

/// A property list of any shape: the app that reads it was never seen before by server and agent.
enum Anything: Decodable {
    case boolean(Bool)
    case integer(Int64)
    case large(UInt64)
    case real(Double)
    case date(Date)
    case data(Data)
    case string(String)
    case array([Anything])
    case dictionary([String: Anything])

    init(from decoder: any Decoder) throws {
        if let values = try? decoder.container(keyedBy: AnyKey.self) {
            var entries: [String: Anything] = [:]
            for key in values.allKeys { entries[key.stringValue] = try values.decode(Anything.self, forKey: key) }
            self = .dictionary(entries)
            return
        }
        if var values = try? decoder.unkeyedContainer() {
            var elements: [Anything] = []
            while !values.isAtEnd { elements.append(try values.decode(Anything.self)) }
            self = .array(elements)
            return
        }
        let value = try decoder.singleValueContainer()
        if let date = try? value.decode(Date.self) {
            self = .date(date)
        } else if let data = try? value.decode(Data.self) {
            self = .data(data)
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let large = try? value.decode(UInt64.self) {
            self = .large(large)
        } else {
            self = .real(try value.decode(Double.self))
        }
    }

    /// One text for one value: each with its type, dictionaries in order, so that equal texts are equal values.
    var canonical: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .large(let value): "\(value)"
        case .real(let value): "real(\(value))"
        case .date(let value): "date(\(value.timeIntervalSince1970))"
        case .data(let value): "data(\(value.base64EncodedString()))"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.canonical).joined(separator: ",") + "]"
        case .dictionary(let entries):
            "{"
                + entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { Self.quoted($0.key) + ":" + $0.value.canonical }.joined(separator: ",") + "}"
        }
    }

    // One line: whatever is not printable ASCII is written as its code.
    private static func quoted(_ text: String) -> String {
        let plain = text.unicodeScalars.map { scalar in
            scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
                ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
        }
        return "\"" + plain.joined() + "\""
    }
}

/// Every key there is.
private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
