import AdminMessages
import Foundation
import InputBounds

extension JSON {
    /// A property list for people: dates are ISO 8601 texts, data is Base64 text, and reals that
    /// are not finite are words.
    init(_ value: PropertyListValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .unsigned(number)
        case .real(let number): self = JSON(real: number)
        case .boolean(let flag): self = .boolean(flag)
        case .date(let date): self = .string(AdminJSON.text(of: date))
        case .data(let data): self = .string(data.base64EncodedString())
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .dictionary(let members): self = .object(members.mapValues { JSON($0) })
        }
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = JSON(real: number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .object(let members): self = .object(members.mapValues { JSON($0) })
        }
    }

    /// JSON has no form for a real that is not finite: it becomes `nan`, `infinity` or `-infinity`, as a text.
    private init(real number: Double) {
        guard !number.isFinite else {
            self = .real(number)
            return
        }
        self = .string(number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity")
    }
}

extension JSONValue {
    init(_ value: JSON) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .real(Double(number))
        case .real(let number): self = .real(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .object(let members): self = .object(members.mapValues { JSONValue($0) })
        }
    }
}
