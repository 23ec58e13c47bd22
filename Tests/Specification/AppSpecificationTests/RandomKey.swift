import AppSpecification
import Foundation
import InputBounds
import TestInputs

/// Keys by chance, that a schema can say all of.
enum RandomKey {
    static func dictionary(_ random: inout SplitMix64, depth: Int) -> SpecifiedKey {
        var key = SpecifiedKey("", .dictionary)
        key.isOpen = Bool.random(using: &random)
        if key.isOpen, depth > 1, Int.random(in: 0..<4, using: &random) == 0 {
            key.values = [any(&random, depth: depth - 1)]
            key.values[0].isRequired = false
        }
        for number in 0..<Int.random(in: 0...4, using: &random) {
            var inner = any(&random, depth: depth - 1)
            inner.name = "key\(number)"
            inner.isRequired = Bool.random(using: &random)
            key.keys.append(inner)
        }
        key.keys.sort { ($0.order ?? .max, $0.name) < ($1.order ?? .max, $1.name) }
        return key
    }

    static func any(_ random: inout SplitMix64, depth: Int) -> SpecifiedKey {
        let types = SpecifiedType.allCases.filter { depth > 0 || ![.array, .dictionary].contains($0) }
        let type = types.randomElement(using: &random) ?? .string
        if type == .dictionary { return described(dictionary(&random, depth: depth), &random) }
        var key = SpecifiedKey("", type)
        bound(&key, &random)
        if type == .array {
            if Bool.random(using: &random) {
                key.item = [any(&random, depth: depth - 1)]
                key.item[0].isRequired = false
            }
        }
        return described(key, &random)
    }

    private static func described(_ plain: SpecifiedKey, _ random: inout SplitMix64) -> SpecifiedKey {
        var key = plain
        let chance = { (random: inout SplitMix64) in Int.random(in: 0..<3, using: &random) == 0 }
        if chance(&random) { key.title = "Title <&|\"" }
        if chance(&random) { key.description = "What it controls.\nÜber `zwei` Zeilen." }
        if chance(&random) { key.since = "1.2" }
        if chance(&random) { key.order = Int.random(in: 0..<5, using: &random) }
        if chance(&random) { key.group = "Group" }
        if chance(&random) { key.isHidden = true }
        if chance(&random) { key.isSensitive = true }
        if chance(&random) { key.variable = SpecifiedVariable(scope: "user", name: "emailAddress") }
        if chance(&random) { key.deprecation = SpecifiedDeprecation(since: "2", replacedBy: "other") }
        if chance(&random) { key.translations = ["de": SpecifiedTranslation(title: "Titel")] }
        return key
    }

    private static func bound(_ key: inout SpecifiedKey, _ random: inout SplitMix64) {
        let least = Int.random(in: 0...3, using: &random)
        let most = least + Int.random(in: 1...5, using: &random)
        guard Bool.random(using: &random) else { return }
        switch key.type {
        case .string:
            if Bool.random(using: &random) {
                key.choices = [SpecifiedChoice(value: .string("a"), title: "A"), SpecifiedChoice(value: .string("b"))]
            } else {
                (key.bounds.minLength, key.bounds.maxLength) = (least, most)
            }
        case .integer: (key.bounds.minimum, key.bounds.maximum) = (.integer(Int64(least)), .integer(Int64(most)))
        case .real:
            (key.bounds.minimum, key.bounds.exclusiveMaximum) = (.real(Double(least) + 0.5), .integer(Int64(most)))
        case .date: key.bounds.earliest = "2026-0\(least + 1)-01T00:00:00Z"
        case .data: (key.bounds.minBytes, key.bounds.maxBytes) = (least, most)
        case .array: key.bounds.maxItems = most
        default: break
        }
    }
}
