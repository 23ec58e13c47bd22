import Foundation
import InputBounds

/// Tells whether two readers understood the same.
enum Agreement {
    private static let gregorian = Date(timeIntervalSince1970: -12_212_553_600)

    /// Foundation's JSON decoder reads `1.0` as an integer when asked for one, so numbers are compared by value.
    ///
    /// Above 2⁵³ it drops a fraction on the way to the integer, where a double has none to drop.
    static func json(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { json($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { json(value, $0) } ?? false }
        case (.integer, .real(let value)), (.real(let value), .integer):
            one.double == other.double
                || (value.magnitude >= 0x1p53 && abs((one.double ?? 0) - (other.double ?? 0)) <= value.ulp)
        default: one == other
        }
    }

    /// Foundation's property-list decoder reads a whole `real` as an integer when asked for one, and on Linux a date
    /// before the Gregorian calendar in the Julian one, up to ten days off.
    static func propertyList(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
        switch (one, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { propertyList($0, $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { propertyList(value, $0) } ?? false }
        case (.date(let left), .date(let right)):
            left == right || (max(left, right) < gregorian && abs(left.timeIntervalSince(right)) <= 10 * 86_400)
        default: one == other || (one.double != nil && one.double == other.double)
        }
    }
}
