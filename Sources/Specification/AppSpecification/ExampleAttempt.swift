import InputBounds
import JSONSchema

/// A value to be put at a place of an example; none where the place is to be empty.
struct ExampleChange {
    let steps: [InstanceStep]
    let value: PropertyListValue?

    init(_ steps: [InstanceStep], _ value: PropertyListValue?) {
        (self.steps, self.value) = (steps, value)
    }
}

/// An example on the way to one that fits, with what was changed so far: no change comes twice.
struct ExampleAttempt {
    private(set) var example: PropertyListValue
    private var added: Set<InstancePath> = []
    private var removed: Set<InstancePath> = []
    /// What a condition got its outcome by: this stays.
    private var settled: Set<InstancePath> = []

    init(_ example: PropertyListValue) { self.example = example }

    func adding(_ value: PropertyListValue, at path: InstancePath) -> ExampleAttempt? {
        var next = self
        guard !settled.contains(path), next.added.insert(path).inserted, next.put(value, at: path.steps) else {
            return nil
        }
        return next
    }

    func removing(_ path: InstancePath) -> ExampleAttempt? {
        var next = self
        // The whole is never taken out.
        guard !path.steps.isEmpty, !settled.contains(path), next.removed.insert(path).inserted,
            next.put(nil, at: path.steps)
        else { return nil }
        return next
    }

    /// The example after all of the changes, or nothing where one of them undoes an earlier one.
    func settling(_ changes: [ExampleChange]) -> ExampleAttempt? {
        guard !changes.isEmpty else { return nil }
        var next = self
        for change in changes {
            let path = InstancePath(change.steps)
            guard !settled.contains(path), next.put(change.value, at: change.steps) else { return nil }
            next.settled.insert(path)
        }
        return next
    }

    private mutating func put(_ value: PropertyListValue?, at steps: [InstanceStep]) -> Bool {
        guard let changed = Self.changed(example, steps[...], to: value) else { return false }
        example = changed
        return true
    }

    /// A value with another one, or none, at a place inside; nothing where there is no such place.
    private static func changed(
        _ whole: PropertyListValue, _ steps: ArraySlice<InstanceStep>, to value: PropertyListValue?
    ) -> PropertyListValue? {
        let rest = steps.dropFirst()
        switch (steps.first, whole) {
        case (.key(let name)?, .dictionary(var entries)):
            if rest.isEmpty {
                guard value != nil || entries[name] != nil else { return nil }
                entries[name] = value
            } else {
                guard let inner = entries[name], let new = changed(inner, rest, to: value) else { return nil }
                entries[name] = new
            }
            return .dictionary(entries)
        case (.index(let index)?, .array(var items)):
            guard items.indices.contains(index) else { return nil }
            if !rest.isEmpty {
                guard let new = changed(items[index], rest, to: value) else { return nil }
                items[index] = new
            } else if let value {
                items[index] = value
            } else {
                items.remove(at: index)
            }
            return .array(items)
        default: return nil
        }
    }
}
