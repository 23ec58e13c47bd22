import Foundation
import InputBounds

/// Tells whether two readers understood the same.
enum Agreement {
    /// Foundation's JSON decoder reads `1.0` as an integer when asked for one, so numbers are compared by value.
    static func json(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { json($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { json(value, $0) } ?? false }
        default: one == other || (one.double != nil && one.double == other.double)
        }
    }

    /// Foundation's property-list decoder reads a whole `real` as an integer when asked for one.
    static func propertyList(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
        switch (one, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { propertyList($0, $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { propertyList(value, $0) } ?? false }
        default: one == other || (one.double != nil && one.double == other.double)
        }
    }
}
