/// A regular expression, as JSON Schema and ECMA-262 (with its `u` flag) write it, that is matched in bounded time.
///
/// All states that a text can be in are followed side by side, so that the time grows with the length of the text times
/// that of the pattern, whatever either holds. What cannot be matched that way, looking behind and referring back to a
/// group, is refused when the pattern is read. So is looking ahead, except right after a `^` that begins the pattern
/// (`^(?!x)`): there it asks no more than whether the text begins so, which is matched on its own.
package struct Pattern: Sendable {
    /// The pattern as it was written.
    package let source: String

    private let program: PatternProgram
    private let ahead: [LookAhead]

    /// Whether the text must begin so, or must not.
    private struct LookAhead: Sendable {
        let program: PatternProgram
        let isWanted: Bool
    }

    /// How many steps it comes to: what it takes of memory.
    package var steps: Int { ahead.reduce(program.count) { $0 + $1.program.count } }

    /// Reads a pattern of at most ``PatternLimits/source`` bytes that comes to no more than so many steps.
    package init(_ source: String, most steps: Int = PatternLimits.steps) throws(PatternRefusal) {
        guard source.utf8.count <= PatternLimits.source else {
            throw PatternRefusal(place: 0, rule: "the pattern is longer than \(PatternLimits.source) bytes")
        }
        var parser = PatternParser(source)
        let parsed = try parser.parse()
        var left = min(steps, PatternLimits.steps)
        var ahead: [LookAhead] = []
        for condition in parsed.ahead {
            let beginning = try PatternProgram(condition.node, most: left)
            left -= beginning.count
            ahead.append(LookAhead(program: beginning, isWanted: condition.isWanted))
        }
        program = try PatternProgram(parsed.node, most: left)
        self.ahead = ahead
        self.source = source
    }

    /// Whether a part of the text matches; all of it counts where the pattern begins with `^` and ends with `$`.
    ///
    /// Each step that is taken is taken off `budget`; nil means that there was not enough of it.
    package func matches(_ text: String, budget: inout Int) -> Bool? {
        for condition in ahead {
            guard let begins = condition.program.matches(text.unicodeScalars, budget: &budget) else { return nil }
            guard begins == condition.isWanted else { return false }
        }
        return program.matches(text.unicodeScalars, budget: &budget)
    }

    /// Whether a part of the text matches, however long that takes to tell: for texts whose length is bounded.
    package func matches(_ text: String) -> Bool {
        var budget = Int.max
        return matches(text, budget: &budget) ?? false
    }
}

extension Pattern: Hashable {
    package static func == (left: Pattern, right: Pattern) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// How large a pattern may be.
package enum PatternLimits {
    /// Bytes of the pattern as written.
    package static let source = 4_096
    /// Groups within groups.
    static let depth = 64
    /// Steps of the program it becomes: what is repeated `{n}` times is there `n` times.
    package static let steps = 10_000
    /// How often something may be repeated by number.
    static let repetitions = 10_000
}

/// Why a text is no pattern, or none that is matched in bounded time.
package struct PatternRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// How many characters stand before the fault.
    package let place: Int
    package let rule: String

    package var description: String { "\(rule) (after \(place) characters)" }
}
