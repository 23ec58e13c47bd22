import Console
import Foundation
import HTTPTypes

/// Reads what browsers write: paths, queries and forms, percent-encoded, within bounds.
enum FormText {
    /// A configuration of a thousand keys has several fields for each.
    static let mostFields = 8_192
    static let mostQueryFields = 64

    static func form(_ body: Data, of type: String?) throws(HTTPProblem) -> Form {
        guard type?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            throw HTTPProblem(.unsupportedMediaType, "form", "A form is sent as application/x-www-form-urlencoded")
        }
        return Form(fields: try fields(body, atMost: mostFields))
    }

    static func query(_ text: some StringProtocol) throws(HTTPProblem) -> [String: String] {
        let fields = try fields(Data(text.utf8), atMost: mostQueryFields)
        return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    /// The parts of a path, or nothing where it is none.
    static func path(_ text: some StringProtocol) -> [String]? {
        var parts: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            guard let decoded = Self.text(part, isForm: false) else { return nil }
            parts.append(decoded)
        }
        return parts
    }

    private static func fields(_ bytes: Data, atMost limit: Int) throws(HTTPProblem) -> [Form.Field] {
        var fields: [Form.Field] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            guard fields.count < limit else {
                throw HTTPProblem(.contentTooLarge, "too-large", "A form has at most \(limit) fields")
            }
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0], isForm: true),
                let value = parts.count == 2 ? Self.text(parts[1], isForm: true) : ""
            else {
                throw HTTPProblem(
                    .badRequest, "form", "A field of the form is not percent-encoded UTF-8 text without a NUL")
            }
            fields.append(Form.Field(name, value))
        }
        return fields
    }

    /// The text that percent-encoded bytes stand for, byte for byte; nothing for what is half an escape, no UTF-8 or
    /// holds a NUL.
    ///
    /// Foundation's `removingPercentEncoding` leaves out a byte order mark at the beginning: one name was another's. In a
    /// form and its query a plus sign stands for a space.
    static func text(_ bytes: some Collection<UInt8>, isForm: Bool) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+") where isForm: result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                result.append(high << 4 | low)
            default: result.append(byte)
            }
        }
        return result.contains(0) ? nil : String(validating: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
