import InputBounds

/// What changed from one version of a specification to another, and whom that hurts.
package struct SpecificationChange: Hashable, Sendable {
    /// Which key, as in ``SpecifiedKey/descendants``; empty for the configuration itself.
    package let path: String
    package let message: String
    /// Whether a configuration for the old version can be one that the new app refuses.
    package let breaksOldConfigurations: Bool
    /// Whether a configuration for the new version can be one that the old app refuses.
    package let breaksOldApps: Bool
}

extension AppSpecification {
    /// What changed from an older version to this.
    package func changes(since older: AppSpecification) -> [SpecificationChange] {
        var difference = SpecificationDifference()
        difference.compare(older.configuration, configuration, at: "")
        difference.compare(older.secrets, secrets)
        for error in older.errors where !errors.contains(where: { $0.code == error.code }) {
            difference.note("", "error \(error.code) is not documented any more")
        }
        difference.compare(older.feedback, feedback)
        for (name, extensionOf) in extensions.sorted(by: { $0.key < $1.key }) {
            guard let before = older.extensions[name] else {
                difference.note("", "the extension \(name) is new")
                continue
            }
            difference.changes += extensionOf.changes(since: before).map { change in
                SpecificationChange(
                    path: "\(name): \(change.path)", message: change.message,
                    breaksOldConfigurations: change.breaksOldConfigurations, breaksOldApps: change.breaksOldApps)
            }
        }
        for name in older.extensions.keys.sorted() where extensions[name] == nil {
            difference.note("", "the extension \(name) is gone")
        }
        return difference.changes
    }
}

private struct SpecificationDifference {
    var changes: [SpecificationChange] = []

    mutating func note(_ path: String, _ message: String, old: Bool = false, apps: Bool = false) {
        changes.append(
            SpecificationChange(path: path, message: message, breaksOldConfigurations: old, breaksOldApps: apps))
    }

    mutating func compare(_ before: SpecifiedKey, _ after: SpecifiedKey, at path: String) {
        guard before.type == after.type else {
            // An integer is a number too.
            let widens = before.type == .integer && after.type == .real || after.type == .any
            let narrows = before.type == .real && after.type == .integer || before.type == .any
            note(
                path, "is \(after.type.phrase) instead of \(before.type.phrase)",
                old: !widens || after.others != before.others,
                apps: !narrows || after.others != before.others)
            if !widens, !narrows { return }
            return compareBounds(before, after, at: path)
        }
        compareBounds(before, after, at: path)
        compareKeys(before, after, at: path)
        compareUnnamed(before.item.first, after.item.first, at: path, "[]", "the list")
        compareUnnamed(before.values.first, after.values.first, at: path, path.isEmpty ? "*" : ".*", "the dictionary")
        if before.others != after.others || !before.others.isEmpty {
            if before.others != after.others {
                note(
                    path,
                    "further rules changed (\(Set(before.others).symmetricDifference(after.others).sorted().joined(separator: ", ")))",
                    old: true, apps: true)
            }
        }
        let (conditions, older) = (Set(after.conditions), Set(before.conditions))
        if conditions != older, before.others == after.others {
            note(
                path, "what has to hold between keys changed", old: !conditions.isSubset(of: older),
                apps: !older.isSubset(of: conditions))
        }
        if before.defaultValue != after.defaultValue {
            note(path, "what the app does where nothing is configured changed (default)")
        }
        if before.deprecation == nil, after.deprecation != nil { note(path, "should not be used any more") }
    }

    private mutating func compareUnnamed(
        _ before: SpecifiedKey?, _ after: SpecifiedKey?, at path: String, _ suffix: String, _ what: String
    ) {
        switch (before, after) {
        case (let one?, let other?): compare(one, other, at: path + suffix)
        case (nil, _?): note(path, "what \(what) holds is said now", old: true)
        case (_?, nil): note(path, "what \(what) holds is not said any more", apps: true)
        case (nil, nil): break
        }
    }

    private mutating func compareKeys(_ before: SpecifiedKey, _ after: SpecifiedKey, at path: String) {
        let inside = { (name: String) in path.isEmpty ? name : path + "." + name }
        for key in after.keys {
            guard let old = before[key.name] else {
                // An old configuration may hold the key by chance, and then anything under it.
                let closed = !before.isOpen
                note(
                    inside(key.name), key.isRequired ? "is new and required" : "is new",
                    old: key.isRequired || !closed && key.canBeBroken, apps: closed || !before.values.isEmpty)
                continue
            }
            if !old.isRequired, key.isRequired { note(inside(key.name), "is required now", old: true) }
            if old.isRequired, !key.isRequired { note(inside(key.name), "is not required any more", apps: true) }
            compare(old, key, at: inside(key.name))
        }
        for key in before.keys where after[key.name] == nil {
            note(
                inside(key.name), "is gone: the app ignores it", old: !after.isOpen || !after.values.isEmpty,
                apps: key.isRequired || after.isOpen && key.canBeBroken)
        }
        if before.isOpen, !after.isOpen { note(path, "keys that are not listed are refused now", old: true) }
        if !before.isOpen, after.isOpen { note(path, "keys that are not listed are ignored now", apps: true) }
    }

    /// What is collected is no matter of configurations: it breaks none, and administrators hear of it.
    mutating func compare(_ before: [SpecifiedFeedback], _ after: [SpecifiedFeedback]) {
        for one in after {
            guard let old = before.first(where: { $0.key == one.key }) else {
                note("", "the feedback \"\(one.key)\" is collected")
                continue
            }
            if old.purpose != one.purpose { note("", "why the feedback \"\(one.key)\" is collected changed") }
            if old.retention != one.retention {
                note("", "for how long the feedback \"\(one.key)\" is kept changed")
            }
        }
        for one in before where !after.contains(where: { $0.key == one.key }) {
            note("", "the feedback \"\(one.key)\" is not documented any more")
        }
    }

    mutating func compare(_ before: [SpecifiedSecret], _ after: [SpecifiedSecret]) {
        let same = { (one: SpecifiedSecret, other: SpecifiedSecret) in
            one.kind == other.kind && one.identifier == other.identifier && one.isPrefix == other.isPrefix
        }
        for secret in after {
            let old = before.first { same($0, secret) }
            let name = "the \(secret.kind.rawValue) \"\(secret.identifier)\""
            if old == nil { note("", "\(name) is asked for", old: secret.isRequired) }
            if let old, !old.isRequired, secret.isRequired { note("", "\(name) is required now", old: true) }
        }
        for secret in before where !after.contains(where: { same($0, secret) }) {
            note(
                "", "the \(secret.kind.rawValue) \"\(secret.identifier)\" is not asked for any more",
                apps: secret.isRequired)
        }
    }
}

extension SpecificationDifference {
    fileprivate mutating func compareBounds(_ before: SpecifiedKey, _ after: SpecifiedKey, at path: String) {
        let (one, other) = (before.bounds, after.bounds)
        limit(path, "minimum", one.minimum?.double, other.minimum?.double, isLeast: true)
        limit(path, "maximum", one.maximum?.double, other.maximum?.double, isLeast: false)
        limit(path, "exclusiveMinimum", one.exclusiveMinimum?.double, other.exclusiveMinimum?.double, isLeast: true)
        limit(path, "exclusiveMaximum", one.exclusiveMaximum?.double, other.exclusiveMaximum?.double, isLeast: false)
        for (name, bound) in Self.counts {
            limit(
                path, name, one[keyPath: bound].map(Double.init), other[keyPath: bound].map(Double.init),
                isLeast: name.hasPrefix("min"))
        }
        moment(path, "not before", one.earliest, other.earliest, isLeast: true)
        moment(path, "not after", one.latest, other.latest, isLeast: false)
        exchange(path, "pattern", one.pattern, other.pattern)
        exchange(path, "multipleOf", one.multipleOf, other.multipleOf)
        if one.uniqueItems != other.uniqueItems {
            note(path, "whether something may be there twice changed", old: other.uniqueItems, apps: one.uniqueItems)
        }
        compareChoices(before.choices, after.choices, at: path)
    }

    private static var counts: [(String, KeyPath<SpecifiedBounds, Int?>)] {
        [
            ("minLength", \.minLength), ("maxLength", \.maxLength), ("minItems", \.minItems), ("maxItems", \.maxItems),
            ("minProperties", \.minProperties), ("maxProperties", \.maxProperties), ("minBytes", \.minBytes),
            ("maxBytes", \.maxBytes),
        ]
    }

    private mutating func limit(_ path: String, _ name: String, _ before: Double?, _ after: Double?, isLeast: Bool) {
        guard before != after else { return }
        let narrows: Bool =
            if let before, let after { isLeast ? after > before : after < before } else { after != nil }
        note(path, "\(name) is \(narrows ? "narrower" : "wider")", old: narrows, apps: !narrows)
    }

    private mutating func moment(_ path: String, _ name: String, _ before: String?, _ after: String?, isLeast: Bool) {
        guard before != after else { return }
        // Texts of this form are in the order of what they mean.
        let narrows: Bool =
            if let before, let after { isLeast ? after > before : after < before } else { after != nil }
        note(path, "\(name) is \(narrows ? "narrower" : "wider")", old: narrows, apps: !narrows)
    }

    private mutating func exchange<Value: Equatable>(
        _ path: String, _ name: String, _ before: Value?, _ after: Value?
    ) {
        guard before != after else { return }
        note(path, "\(name) changed", old: after != nil, apps: before != nil)
    }

    private mutating func compareChoices(
        _ before: [SpecifiedChoice]?, _ after: [SpecifiedChoice]?, at path: String
    ) {
        switch (before.map { Set($0.map(\.value)) }, after.map { Set($0.map(\.value)) }) {
        case (let one?, let other?):
            let (gone, new) = (one.subtracting(other), other.subtracting(one))
            if !gone.isEmpty { note(path, "\(gone.count) of the values are not allowed any more", old: true) }
            if !new.isEmpty { note(path, "\(new.count) more values are allowed", apps: true) }
        case (nil, _?): note(path, "only listed values are allowed now", old: true)
        case (_?, nil): note(path, "any value is allowed now", apps: true)
        case (nil, nil): break
        }
    }
}

extension SpecifiedType {
    /// For people.
    package var phrase: String {
        switch self {
        case .string: "text"
        case .integer: "an integer"
        case .real: "a number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "a list"
        case .dictionary: "a dictionary"
        case .any: "anything"
        }
    }
}

extension SpecifiedKey {
    /// Whether there is a value that it does not allow.
    fileprivate var canBeBroken: Bool {
        type != .any || choices != nil || bounds != SpecifiedBounds() || !others.isEmpty || !keys.isEmpty
            || !values.isEmpty
            || !item.isEmpty || !isOpen
    }
}
