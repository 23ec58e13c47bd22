import Foundation
import InputBounds
import Patterns

/// Makes up values that keys allow, together up to a size.
///
/// Lists within one another multiply, and a bound may ask for a text of any length. Where it is too much, a list has fewer
/// items and a text or data is shorter than asked for; once the size is reached, dictionaries lack further keys.
struct ExampleMaker {
    /// What one text is filled up to, and what the repeated items of one list come to.
    private static let ofOne = 10_000

    /// Values, characters and bytes that may still be made up.
    private var left: Int
    /// Texts that may still be tried for patterns.
    private var texts = 2_000

    init(size: Int) { left = size }

    mutating func value(of key: SpecifiedKey) -> PropertyListValue {
        for value in [key.defaultValue, key.examples.first, key.choices?.first?.value] {
            guard let value, let list = try? key.propertyList(value) else { continue }
            left -= Self.size(of: list)
            return list
        }
        left -= 1
        switch key.type {
        case .string, .any: return .string(text(of: key))
        case .integer: return .integer(Int64(exactly: Self.number(of: key).rounded(.up)) ?? 0)
        case .real: return .real(Self.number(of: key))
        case .boolean: return .boolean(false)
        case .date:
            return .date(
                key.bounds.earliest.flatMap(PropertyListValue.date(parsing:))
                    ?? Date(timeIntervalSince1970: 1_767_225_600))
        case .data: return .data(Data(repeating: 0, count: spend(key.bounds.minBytes ?? 0)))
        case .array: return .array(items(of: key))
        case .dictionary: return .dictionary(entries(of: key))
        }
    }

    private mutating func entries(of key: SpecifiedKey) -> [String: PropertyListValue] {
        var entries: [String: PropertyListValue] = [:]
        // What is deprecated is shown to nobody who begins.
        for inner in key.keys where inner.isRequired || inner.deprecation == nil && !inner.isHidden {
            guard left > 0 else { break }
            guard entries[inner.name] == nil else { continue }
            left -= inner.name.utf8.count
            entries[inner.name] = value(of: inner)
        }
        return entries
    }

    private mutating func items(of key: SpecifiedKey) -> [PropertyListValue] {
        guard let item = key.item.first else { return [] }
        let count = max(key.bounds.minItems ?? 0, min(1, key.bounds.maxItems ?? 1))
        guard count > 0 else { return [] }
        if count > 1, key.bounds.uniqueItems, let choices = item.choices {
            let values = choices.prefix(count).compactMap { try? item.propertyList($0.value) }
            left -= Self.size(of: .array(values))
            return values
        }
        let before = left
        let first = value(of: item)
        // Each further item is as large as the first.
        let size = max(1, before - left)
        let further = max(0, min(min(count, 100) - 1, min(left, Self.ofOne) / size))
        left -= further * size
        return Array(repeating: first, count: further + 1)
    }

    private mutating func text(of key: SpecifiedKey) -> String {
        let bounds = key.bounds
        let text = key.title ?? (key.name.isEmpty ? "text" : key.name)
        let longest = String(text.unicodeScalars.prefix(max(0, bounds.maxLength ?? .max)))
        let count = longest.unicodeScalars.count
        left -= count
        let fitting = longest + String(repeating: "x", count: spend(max(0, bounds.minLength ?? 0) - count))
        guard let source = bounds.pattern, let pattern = try? Pattern(source) else { return fitting }
        var budget = PatternLimits.steps * 100
        if pattern.matches(fitting, budget: &budget) == true { return fitting }
        return self.text(for: pattern, bounds) ?? fitting
    }

    /// A text that the pattern matches, of a length that the key allows.
    private mutating func text(for pattern: Pattern, _ bounds: SpecifiedBounds) -> String? {
        // One of what may be repeated reads best.
        for times in [1, 0, 2, 4, 8, 16, 32, 64] {
            guard texts > 0 else { return nil }
            texts -= 1
            guard let text = pattern.example(repeating: times) else { continue }
            let length = text.unicodeScalars.count
            guard length >= bounds.minLength ?? 0, length <= bounds.maxLength ?? .max else { continue }
            left -= length
            return text
        }
        return nil
    }

    private static func number(of key: SpecifiedKey) -> Double {
        let bounds = key.bounds
        let above = bounds.exclusiveMinimum?.double, below = bounds.exclusiveMaximum?.double
        let step = bounds.multipleOf?.double ?? (key.type == .integer ? 1 : nil)
        let least = max(bounds.minimum?.double ?? -.infinity, above.map { $0 + (step ?? 0) } ?? -.infinity)
        let most = min(bounds.maximum?.double ?? .infinity, below.map { $0 - (step ?? 0) } ?? .infinity)
        let wanted = min(max(0, least), most)
        if let step { return finite((wanted / step).rounded(.up) * step) }
        guard wanted == above || wanted == below else { return finite(wanted) }
        // Between the two; or a little further on, where there is only one.
        return finite(((least.isFinite ? least : wanted - 2) + (most.isFinite ? most : wanted + 2)) / 2)
    }

    /// Of bounds at the end of what a number can be, a sum or quotient may be none.
    private static func finite(_ number: Double) -> Double { number.isFinite ? number : 0 }

    /// As much of what is wanted as is left, and may be of one.
    private mutating func spend(_ wanted: Int) -> Int {
        let spent = max(0, min(wanted, left, Self.ofOne))
        left -= spent
        return spent
    }

    private static func size(of value: PropertyListValue) -> Int {
        switch value {
        case .string(let text): 1 + text.utf8.count
        case .data(let data): 1 + data.count
        case .array(let items): items.reduce(1) { $0 + size(of: $1) }
        case .dictionary(let entries): entries.reduce(1) { $0 + $1.key.utf8.count + size(of: $1.value) }
        case .integer, .unsigned, .real, .boolean, .date: 1
        }
    }
}
