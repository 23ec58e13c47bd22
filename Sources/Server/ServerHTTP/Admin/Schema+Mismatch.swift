import Foundation
import InputBounds

extension Schema {
    /// Where a value is not of this shape, as the names that lead there, and what should be there; nothing if it is.
    ///
    /// Only names that the schema has are repeated.
    func mismatch(in value: JSONValue) -> (path: [String], wanted: String)? {
        switch self {
        case .string, .oneOf: return value.string == nil ? ([], "a string") : nil
        case .date: return value.string.flatMap(Moment.init) == nil ? ([], "a time such as 2026-01-31T12:00:00Z") : nil
        case .base64: return value.string.flatMap { Data(base64Encoded: $0) } == nil ? ([], "bytes in Base64") : nil
        case .integer: return Self.isWhole(value, in: Self.integers) ? nil : ([], "a whole number")
        case .whole(let range):
            return Self.isWhole(value, in: range)
                ? nil : ([], "a whole number from \(range.lowerBound) to \(range.upperBound)")
        case .boolean: return value.bool == nil ? ([], "true or false") : nil
        case .any: return nil
        case .array(let element):
            guard let elements = value.array else { return ([], "a list") }
            return elements.lazy.compactMap(element.mismatch).first
        case .map(let schema):
            guard let members = value.object else { return ([], "an object") }
            return members.values.lazy.compactMap(schema.mismatch).first
        case .anyOf(let schemas):
            let found = schemas.map { $0.mismatch(in: value) }
            return found.contains { $0 == nil } ? nil : found.first ?? nil
        case .orNull(let schema): return value == .null ? nil : schema.mismatch(in: value)
        case .named(let name): return AdminSchemas.all[name]?.mismatch(in: value)
        case .object(let members): return Self.mismatch(of: members, in: value)
        case .oneMember(let members):
            return value.object?.count == 1
                ? Self.mismatch(of: members, in: value) : ([], "an object with one member")
        }
    }

    private static func mismatch(of members: [Member], in value: JSONValue) -> (path: [String], wanted: String)? {
        guard let object = value.object else { return ([], "an object") }
        for member in members {
            guard let found = object[member.name] else {
                if member.isRequired { return ([member.name], "there") }
                continue
            }
            if let (path, wanted) = member.schema.mismatch(in: found) { return ([member.name] + path, wanted) }
        }
        return nil
    }

    private static func isWhole(_ value: JSONValue, in range: ClosedRange<Int>) -> Bool {
        if let number = value.int { return range.contains(number) }
        guard case .real(let number) = value, let whole = Int(exactly: number) else { return false }
        return range.contains(whole)
    }
}
