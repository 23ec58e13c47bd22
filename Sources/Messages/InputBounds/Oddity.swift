/// A place of a peer's document that is not as the format or the message has it.
///
/// The rule says how the place breaks the format and, where its value is kept, how it was read.
package struct Oddity: Hashable, Sendable {
    /// The longest place that is kept, in bytes.
    private static let longestPlace = 256

    /// The keys and numbers that lead there, such as `Apps[3].Name`; empty for the whole document.
    ///
    /// A peer chose the keys: this is for display, not for logs.
    package let place: String
    /// A sentence about the format, never about what was sent.
    package let rule: String

    package init(place: String, rule: String) {
        self.place = place.cut(toBytes: Self.longestPlace)
        self.rule = rule
    }
}

/// The oddities of one document: the first of them, and how many there are.
package struct Oddities: Hashable, Sendable {
    /// How many are kept; the others are counted.
    package static let mostKept = 16

    package private(set) var count = 0
    package private(set) var first: [Oddity] = []

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ rule: String, at place: String) {
        count += 1
        if isRoomLeft { first.append(Oddity(place: place, rule: rule)) }
    }

    /// Whether the next oddity is kept, and not only counted.
    var isRoomLeft: Bool { first.count < Self.mostKept }

    /// Adds those of a part of the document that stands at `place`.
    package mutating func add(_ part: Oddities, under place: String) {
        for oddity in part.first.prefix(Self.mostKept - first.count) {
            let joined = oddity.place.isEmpty ? place : place.isEmpty ? oddity.place : "\(place).\(oddity.place)"
            first.append(Oddity(place: joined, rule: oddity.rule))
        }
        count += part.count
    }
}

/// What was read of a peer's document, and where the document is odd.
package struct LenientReading<Value: Sendable>: Sendable {
    package let value: Value
    package let oddities: Oddities

    package init(_ value: Value, _ oddities: Oddities = Oddities()) {
        self.value = value
        self.oddities = oddities
    }
}

extension LenientReading: Equatable where Value: Equatable {}

extension String {
    /// The text itself, or its beginning and an ellipsis in at most `limit` bytes of UTF-8; `limit` is at least 3.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let ellipsis = "…"
        var end = utf8.index(utf8.startIndex, offsetBy: max(limit - ellipsis.utf8.count, 0))
        // A scalar is kept whole or not at all.
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(decoding: utf8[..<end], as: UTF8.self) + ellipsis
    }
}
