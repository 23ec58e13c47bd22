import AdminMessages
import Foundation
import InputBounds

/// A property list as JSON shows it: data as Base64, a date as its text.
struct ShownValue: Encodable, Sendable {
    private let value: PropertyListValue

    init(_ value: PropertyListValue) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .array(let items): try container.encode(items.map(ShownValue.init))
        case .dictionary(let entries): try container.encode(entries.mapValues(ShownValue.init))
        case .data(let data): try container.encode(data.base64EncodedString())
        case .real(let number) where !number.isFinite: try container.encode("\(number)")
        default: try container.encode(value)
        }
    }

    /// On one line, for people.
    var text: String {
        (try? AdminJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
