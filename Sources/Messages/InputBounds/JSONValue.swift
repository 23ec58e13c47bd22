package import Foundation

/// A JSON document in memory, integers kept apart from reals.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a JSON document within `limits`.
    ///
    /// A key that comes twice in one object is refused; a byte order mark, which some editors write, is passed over.
    /// Refusals name the place.
    package init(parsing data: Data, limits: InputLimits) throws(InputRefusal) {
        guard data.count <= limits.bytes else { throw InputRefusal("the JSON document is larger than allowed") }
        var reader = JSONReader(limits: limits, skipsMark: true)
        var builder = JSONBuilder()
        do throws(InputRefusal) {
            try reader.read(data.span, into: &builder)
        } catch {
            let place = InputPlace(of: reader.token, in: data.span, steps: builder.steps)
            throw InputRefusal(error.rule, at: place)
        }
        self = try builder.finished()
    }
}

extension JSONValue {
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    package var bool: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// An integer that fits `Int`; a real never counts as one.
    package var int: Int? {
        if case .integer(let value) = self { Int(exactly: value) } else { nil }
    }

    /// A number of either kind.
    package var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value under `key` of an object; nothing when this is no object.
    package subscript(key: String) -> JSONValue? {
        if case .object(let value) = self { value[key] } else { nil }
    }
}

/// Builds a value from the parts a reader hands over.
struct JSONBuilder: JSONSink {
    private struct OpenContainer {
        let isObject: Bool
        var items: [JSONValue] = []
        var entries: [String: JSONValue] = [:]
        var key: String?
    }

    private var open: [OpenContainer] = []
    private var root: JSONValue?

    func finished() throws(InputRefusal) -> JSONValue {
        guard let root else { throw InputRefusal("the JSON document is cut short") }
        return root
    }

    /// The keys and indices on the way to what is read at the moment.
    var steps: [String] {
        open.compactMap { $0.isObject ? $0.key : "[\($0.items.count)]" }
    }

    mutating func beginObject() {
        open.append(OpenContainer(isObject: true))
    }

    mutating func beginArray() {
        open.append(OpenContainer(isObject: false))
    }

    mutating func end() {
        guard let closed = open.popLast() else { return }
        scalar(closed.isObject ? .object(closed.entries) : .array(closed.items))
    }

    mutating func key(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal) {
        let key = try JSONText.decode(text, escaped: escaped)
        guard !open.isEmpty else { return }
        open[open.count - 1].key = key
        guard open[open.count - 1].entries[key] == nil else {
            throw InputRefusal("a JSON object holds the same key twice")
        }
    }

    mutating func string(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal) {
        scalar(.string(try JSONText.decode(text, escaped: escaped)))
    }

    mutating func scalar(_ value: JSONValue) {
        guard !open.isEmpty else {
            root = value
            return
        }
        let innermost = open.count - 1
        if open[innermost].isObject {
            guard let key = open[innermost].key.take() else { return }
            open[innermost].entries[key] = value
        } else {
            open[innermost].items.append(value)
        }
    }
}
