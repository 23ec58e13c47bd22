import Foundation
import InputBounds

/// The entries of a message being written; what is absent stays out.
struct MessageEntries {
    private(set) var entries: [String: PropertyListValue] = [:]

    mutating func set(_ key: String, _ text: String?) {
        if let text { entries[key] = .string(text) }
    }

    mutating func set(_ key: String, _ data: Data?) {
        if let data { entries[key] = .data(data) }
    }

    mutating func set(_ key: String, _ number: Int?) {
        if let number { entries[key] = .integer(Int64(number)) }
    }

    mutating func set(_ key: String, _ flag: Bool) {
        entries[key] = .boolean(flag)
    }

    mutating func set(_ key: String, _ value: PropertyListValue?) {
        if let value { entries[key] = value }
    }

    mutating func add(_ more: [String: PropertyListValue]) {
        entries.merge(more) { own, _ in own }
    }

    var value: PropertyListValue { .dictionary(entries) }
}
