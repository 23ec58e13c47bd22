import AppSpecification
import Foundation
import InputBounds

/// Values out of what is typed into one field.
enum ScalarReading {
    struct Refused: Error {}

    static func value(of typed: String, as key: SpecifiedKey) -> Result<PropertyListValue, Refused> {
        let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        let value: PropertyListValue? =
            switch key.type {
            // A text is what was typed, with its spaces.
            case .string: .string(typed)
            case .integer:
                Int64(text).map { .integer($0) } ?? UInt64(text).map { .number($0) }
            case .real: real(text).map { .real($0) }
            case .boolean: Bool(text).map { .boolean($0) }
            case .date: date(text).map { .date($0) }
            case .data: text.isEmpty ? nil : data(text).map { .data($0) }
            case .array, .dictionary, .any: nil
            }
        return value.map { .success($0) } ?? .failure(Refused())
    }

    /// A sentence that says what belongs into the field.
    static func wanted(_ key: SpecifiedKey) -> String {
        if key.isChoice { return "Choose one" }
        switch key.type {
        case .integer: return "Enter a whole number, such as 42"
        case .real: return "Enter a number, such as 2.5"
        case .date: return "Enter a date and time in UTC, such as 2026-11-21T14:00:00Z"
        case .data: return "Enter data in Base64"
        default: return "Enter a value"
        }
    }

    /// Decimal digits only: other forms that the language knows are no numbers to people.
    private static func real(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
        else { return nil }
        return number
    }

    /// A date alone is its midnight, and a time may end with its minutes.
    private static func date(_ text: String) -> Date? {
        var text = text.replacing(" ", with: "T")
        if text.utf8.count == 10 { text += "T00:00" }
        if text.hasSuffix("Z") { text.removeLast() }
        if text.utf8.count == 16 { text += ":00" }
        return PropertyListValue.date(parsing: text + "Z")
    }

    private static func data(_ text: String) -> Data? {
        Data(base64Encoded: String(text.filter { !$0.isWhitespace }))
    }
}

/// One value of a property list as XML without what surrounds a document.
enum PropertyListFragment {
    static func text(of value: PropertyListValue) -> String {
        let lines = String(decoding: value.xml(), as: UTF8.self)
        guard let start = lines.range(of: "<plist version=\"1.0\">\n"),
            let end = lines.range(of: "</plist>", options: .backwards)
        else { return lines }
        return String(lines[start.upperBound..<end.lowerBound].dropLast())
    }

    /// Reads a value, in a document of its own or without.
    static func value(of text: String) throws(InputRefusal) -> PropertyListValue {
        let document = text.contains("<plist") ? text : "<plist version=\"1.0\">\n\(text)\n</plist>"
        return try PropertyListValue(parsing: Data(document.utf8), limits: .configuration)
    }
}
