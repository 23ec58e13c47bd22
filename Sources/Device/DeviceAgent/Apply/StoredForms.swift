import DeviceMessages
import Foundation
import InputBounds

// How values of the wire are kept in a generation: in the form in which they came.

extension Declaration: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(Data.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded())
    }
}

extension StatusReason: Codable {
    private enum Key: String, CodingKey { case code, description, details }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            code: try container.decode(String.self, forKey: .code),
            description: try container.decodeIfPresent(String.self, forKey: .description),
            details: try container.decodeIfPresent(JSONValue.self, forKey: .details))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(details, forKey: .details)
    }
}
