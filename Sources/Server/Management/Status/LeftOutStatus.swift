package import InputBounds

/// What of a device's status is not kept, because it is beyond the bounds or cannot be read.
///
/// The server adds it as a status item of its own, so that the status of a device shows that it is not complete.
package struct LeftOutStatus: Sendable, Equatable {
    /// Where it stands among the device's items; what a device itself says under this name is not taken.
    package static let item = "martlet.status.left-out"
    private static let mostNames = 32
    private static let longestName = 128

    /// Items, and apps that are not told apart.
    package private(set) var count = 0
    /// The first of them.
    package private(set) var names: [String] = []
    /// What of the report could be read only in part.
    package let oddities: Oddities

    package init(_ oddities: Oddities = Oddities()) {
        self.oddities = oddities
    }

    /// Whether the report is kept whole.
    package var isEmpty: Bool { count == 0 && oddities.isEmpty }

    package mutating func add(_ name: String) {
        count += 1
        if names.count < Self.mostNames { names.append(String(name.prefix(Self.longestName))) }
    }

    package var value: JSONValue {
        var members: [String: JSONValue] = [
            "count": .integer(Int64(count)), "first": .array(names.map(JSONValue.string)),
        ]
        if !oddities.isEmpty {
            members["oddities"] = .object([
                "count": .integer(Int64(oddities.count)),
                "first": .array(
                    oddities.first.map { .object(["place": .string($0.place), "rule": .string($0.rule)]) }),
            ])
        }
        return .object(members)
    }
}
