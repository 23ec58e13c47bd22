/// What a rule answers: the value, or a refusal with its reason.
///
/// What broke is thrown instead.
package enum Outcome<Value: Sendable, Refusal: Sendable>: Sendable {
    case accepted(Value)
    case refused(Refusal)

    /// The value, when there is one.
    package var value: Value? {
        guard case .accepted(let value) = self else { return nil }
        return value
    }

    /// The refusal, when there is one.
    package var refusal: Refusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }

    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Outcome<Other, Refusal> {
        switch self {
        case .accepted(let value): .accepted(try transform(value))
        case .refused(let refusal): .refused(refusal)
        }
    }
}

extension Outcome: Equatable where Value: Equatable, Refusal: Equatable {}

/// One page of a list, in the order of its keys.
package struct Page<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Where the following page begins; nothing when this was the last one.
    package let next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }

    /// Cuts a list that was read with one row more than asked for.
    package init(cutting items: [Item], to limit: Int, cursor: (Item) -> String) {
        if items.count > limit {
            self.items = Array(items.prefix(limit))
            next = self.items.last.map(cursor)
        } else {
            self.items = items
            next = nil
        }
    }

    package func map<Other>(_ transform: (Item) -> Other) -> Page<Other> {
        Page<Other>(items: items.map(transform), next: next)
    }
}

/// Which page of a list is asked for.
package struct PageRequest: Sendable {
    /// Larger pages would hold a reader and its memory for too long.
    package static let largest = 500

    package let after: String?
    package let limit: Int

    package init(after: String? = nil, limit: Int = 100) {
        self.after = after.map { String($0.prefix(1_024)) }
        self.limit = min(max(limit, 1), Self.largest)
    }
}
