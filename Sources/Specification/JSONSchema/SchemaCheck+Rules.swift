import Foundation
import InputBounds
import Patterns

/// Each rule; true where it says nothing about such a value.
extension SchemaCheck {
    mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaNode.Rule, _ value: Value, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        switch rule {
        case .nothing: broken(.nothing, view, node, "must not be there", under: "")
        case .type(let types):
            types.contains(view)
                || broken(.type, view, node, "must be \(types.phrase)", suggestion: Self.otherType(view, types))
        case .oneOfValues(let values, let rule, let words, let listing):
            follows(values, rule, words, listing, value, view, node)
        case .number(let rule, let bound): follows(rule, bound, view, node)
        case .length(let rule, let length): follows(rule, length: length, view, node)
        case .pattern(let pattern):
            if case .string(let text) = view, !matches(pattern, text) {
                broken(.pattern, view, node, "must match the pattern \(pattern.source)")
            } else {
                true
            }
        case .date(let rule, let bound): follows(rule, bound, view, node)
        case .bytes(let rule, let count): follows(rule, bytes: count, view, node)
        case .all(let schemas): all(schemas, value)
        case .any(let schemas): any(schemas, value, view, node)
        case .one(let schemas): one(schemas, value, view, node)
        case .not(let schema):
            !fits(schema, value) || broken(.not, view, node, "must not be of this form")
        case .condition(let condition, let then, let otherwise):
            if let branch = fits(condition, value) ? then : otherwise { hold(branch, against: value) } else { true }
        case .reference(let schema): hold(schema, against: value)
        default: followsParts(rule, value, view, node)
        }
    }

    private mutating func follows<Value: SchemaInstance>(
        _ values: Set<CanonicalValue>, _ rule: SchemaRule, _ words: [String], _ listing: String, _ value: Value,
        _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        guard spend(view.size * Self.canonical) else { return true }
        if values.contains(CanonicalValue(value, asTexts: true)) { return true }
        return broken(
            rule, view, node, rule == .const ? "must be \(listing)" : "must be one of \(listing)",
            suggestion: {
                guard case .string(let text) = view else { return nil }
                return NearestWord.to(text, among: words).map { "Did you mean \"\($0)\"?" }
            }())
    }

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaRule, _ bound: SchemaNumber, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        let number: SchemaNumber
        switch view {
        case .integer(let value): number = .integer(value)
        case .unsigned(let value): number = SchemaNumber(value)
        case .real(let value): number = SchemaNumber(value)
        default: return true
        }
        switch rule {
        case .maximum: return number <= bound || broken(rule, view, node, "must be at most \(bound)")
        case .exclusiveMaximum: return number < bound || broken(rule, view, node, "must be below \(bound)")
        case .minimum: return bound <= number || broken(rule, view, node, "must be at least \(bound)")
        case .exclusiveMinimum: return bound < number || broken(rule, view, node, "must be above \(bound)")
        default: return number.isMultiple(of: bound) || broken(rule, view, node, "must be a multiple of \(bound)")
        }
    }

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaRule, length: Int, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        guard case .string(let text) = view else { return true }
        let letters = length == 1 ? "1 character" : "\(length) characters"
        // Each character is of one to four bytes.
        let bytes = text.utf8.count
        if rule == .maxLength {
            if bytes <= length { return true }
            if bytes / 4 <= length, !spend(bytes / 16) || text.unicodeScalars.count <= length { return true }
            return broken(rule, view, node, "must be of at most \(letters)")
        }
        if bytes / 4 >= length { return true }
        if bytes >= length, !spend(bytes / 16) || text.unicodeScalars.count >= length { return true }
        return broken(rule, view, node, "must be of at least \(letters)")
    }

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaRule, _ bound: Date, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        let date: Date
        switch view {
        case .date(let value): date = value
        case .string(let text) where !Value.isPropertyList && text.utf8.count == 20:
            guard let value = PropertyListValue.date(parsing: text) else { return true }
            date = value
        default: return true
        }
        let written = PropertyListValue.text(of: bound)
        if rule == .earliest { return bound <= date || broken(rule, view, node, "must not be before \(written)") }
        return date <= bound || broken(rule, view, node, "must not be after \(written)")
    }

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaRule, bytes: Int, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        let count: Int
        switch view {
        case .data(let data): count = data.count
        case .string(let text) where !Value.isPropertyList:
            guard spend(text.utf8.count / 16) else { return true }
            guard let data = Data(base64Encoded: text) else { return true }
            count = data.count
        default: return true
        }
        if rule == .minBytes { return bytes <= count || broken(rule, view, node, "must be of at least \(bytes) bytes") }
        return count <= bytes || broken(rule, view, node, "must be of at most \(bytes) bytes")
    }

    // MARK: Several schemas

    private mutating func all(_ schemas: [Int], _ value: some SchemaInstance) -> Bool {
        var fits = true
        for schema in schemas where !hold(schema, against: value) {
            fits = false
            if isQuiet { return false }
        }
        return fits
    }

    private mutating func any<Value: SchemaInstance>(
        _ schemas: [Int], _ value: Value, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        for schema in schemas where fits(schema, value) { return true }
        guard !isQuiet else { return false }
        return broken(
            .anyOf, view, node, "must be of one of \(schemas.count) forms", reasons: nearest(schemas, value))
    }

    private mutating func one<Value: SchemaInstance>(
        _ schemas: [Int], _ value: Value, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        var count = 0
        for schema in schemas where fits(schema, value) { count += 1 }
        guard count != 1 else { return true }
        guard !isQuiet else { return false }
        return broken(
            .oneOf, view, node, "must be of exactly one of \(schemas.count) forms",
            found: count > 1 ? "\(view.name) that is of \(count) of them" : nil,
            reasons: count == 0 ? nearest(schemas, value) : [])
    }

    /// What the schema objects to that has least against the value.
    private mutating func nearest(_ schemas: [Int], _ value: some SchemaInstance) -> [SchemaViolation] {
        var nearest: [SchemaViolation]?
        for schema in schemas {
            let objections = objections(schema, value)
            if objections.count < nearest?.count ?? .max { nearest = objections }
        }
        return nearest ?? []
    }

    // MARK: Suggestions

    private static func otherType<Value: SchemaInstance>(
        _ view: InstanceView<Value>, _ types: SchemaTypes
    ) -> String? {
        switch view {
        case .string(let text):
            if types.contains(.boolean), ["true", "false", "yes", "no"].contains(text.lowercased()) {
                return "Write it as a boolean, not as text"
            }
            if types.contains(.integer), Int64(text) != nil { return "Write it as an integer, not as text" }
            if types.contains(.number), Double(text) != nil { return "Write it as a number, not as text" }
            if types.contains(.date), PropertyListValue.date(parsing: text) != nil {
                return "Write it as a date, not as text"
            }
            if types.contains(.array) { return "Put it in a list" }
        case .integer where types.contains(.boolean): return "Write true or false"
        case .integer, .real, .unsigned, .boolean:
            if types.contains(.string) { return "Write it as text" }
        case .object where types.contains(.array): return "Put it in a list"
        default: break
        }
        return nil
    }
}
