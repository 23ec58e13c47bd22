import Foundation
package import InputBounds

extension AppSpecification {
    /// A configuration to begin with: the first sample, or what the keys' defaults, examples and bounds come to.
    package func example() -> PropertyListValue {
        if let sample = samples.first, let list = try? configuration.propertyList(sample.configuration) { return list }
        return configuration.example
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
        return missing > 0 ? longest + String(repeating: "x", count: missing) : longest
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
