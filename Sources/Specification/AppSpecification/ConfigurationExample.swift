import Foundation
package import InputBounds
import Patterns

extension AppSpecification {
    /// A configuration to begin with: the first sample, or what the keys' defaults, examples and bounds come to.
    ///
    /// What is made of the keys follows the rules between them, too, as far as that can be made up.
    package func example() -> PropertyListValue {
        if let sample = samples.first, let list = try? configuration.propertyList(sample.configuration) { return list }
        var fitting = ExampleFitting(configuration.example, of: configuration)
        fitting.fit(schema)
        return fitting.example
    }
}

extension SpecifiedKey {
    /// A value that the key allows, as far as that can be made up.
    package var example: PropertyListValue {
        for value in [defaultValue, examples.first, choices?.first?.value] {
            if let value, let list = try? propertyList(value) { return list }
        }
        return switch type {
        case .string, .any: .string(exampleText)
        case .integer: .integer(Int64(exampleNumber.rounded(.up)))
        case .real: .real(exampleNumber)
        case .boolean: .boolean(false)
        case .date:
            .date(
                bounds.earliest.flatMap(PropertyListValue.date(parsing:)) ?? Date(timeIntervalSince1970: 1_767_225_600))
        case .data: .data(Data(repeating: 0, count: bounds.minBytes ?? 0))
        case .array: .array(exampleItems)
        case .dictionary:
            // What is deprecated is shown to nobody who begins.
            .dictionary(
                Dictionary(
                    keys.filter { $0.isRequired || $0.deprecation == nil && !$0.isHidden }.map {
                        ($0.name, $0.example)
                    },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private var exampleText: String {
        let text = title ?? (name.isEmpty ? "text" : name)
        let longest = String(text.unicodeScalars.prefix(bounds.maxLength ?? .max))
        let missing = (bounds.minLength ?? 0) - longest.unicodeScalars.count
        let fitting = missing > 0 ? longest + String(repeating: "x", count: missing) : longest
        guard let source = bounds.pattern, let pattern = try? Pattern(source), !pattern.matches(fitting) else {
            return fitting
        }
        return exampleText(of: pattern) ?? fitting
    }

    /// A text that the pattern matches, of a length that the key allows.
    private func exampleText(of pattern: Pattern) -> String? {
        // One of what may be repeated reads best.
        for times in [1, 0, 2, 4, 8, 16, 32, 64] {
            guard let text = pattern.example(repeating: times) else { continue }
            let length = text.unicodeScalars.count
            if length >= bounds.minLength ?? 0, length <= bounds.maxLength ?? .max { return text }
        }
        return nil
    }

    private var exampleNumber: Double {
        let above = bounds.exclusiveMinimum?.double, below = bounds.exclusiveMaximum?.double
        let step = bounds.multipleOf?.double ?? (type == .integer ? 1 : nil)
        let least = max(bounds.minimum?.double ?? -.infinity, above.map { $0 + (step ?? 0) } ?? -.infinity)
        let most = min(bounds.maximum?.double ?? .infinity, below.map { $0 - (step ?? 0) } ?? .infinity)
        let wanted = min(max(0, least), most)
        if let step { return (wanted / step).rounded(.up) * step }
        guard wanted == above || wanted == below else { return wanted }
        // Between the two; or a little further on, where there is only one.
        return ((least.isFinite ? least : wanted - 2) + (most.isFinite ? most : wanted + 2)) / 2
    }

    private var exampleItems: [PropertyListValue] {
        guard let item = item.first else { return [] }
        let count = max(bounds.minItems ?? 0, min(1, bounds.maxItems ?? 1))
        guard count > 1, bounds.uniqueItems, let choices = item.choices else {
            return Array(repeating: item.example, count: min(count, 100))
        }
        return choices.prefix(count).compactMap { try? item.propertyList($0.value) }
    }
}
