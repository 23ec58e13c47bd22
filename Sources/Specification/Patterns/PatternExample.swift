extension Pattern {
    /// A text that the pattern matches, to show people what is meant; nothing where none is found.
    ///
    /// What may be repeated is there `times` times, as far as the pattern allows that.
    package func example(repeating times: Int = 1) -> String? {
        var parser = PatternParser(source)
        guard let node = try? parser.parse().node else { return nil }
        var writer = ExampleWriter(repeating: max(0, times))
        guard writer.write(node) else { return nil }
        let text = String(writer.text)
        // What a place such as \b asks for, and what is looked ahead for, is not looked at while the text is made.
        var budget = PatternLimits.steps * 100
        return matches(text, budget: &budget) == true ? text : nil
    }
}

/// Writes one of the texts that a pattern means.
private struct ExampleWriter {
    private let times: Int
    private(set) var text = String.UnicodeScalarView()
    /// How many parts may still be written: repetitions in one another multiply.
    private var left = PatternLimits.steps

    init(repeating times: Int) { self.times = times }

    /// Writes a part of the pattern; false where nothing stands for it, or too much.
    mutating func write(_ node: PatternNode) -> Bool {
        left -= 1
        guard left > 0 else { return false }
        switch node {
        case .scalars(let set):
            guard let scalar = set.example else { return false }
            text.append(scalar)
            return true
        case .place: return true
        case .sequence(let items):
            for item in items where !write(item) { return false }
            return true
        case .choice(let branches):
            for branch in branches {
                let before = text
                if write(branch) { return true }
                text = before
            }
            return false
        case .repeated(let inner, let least, let most):
            for _ in 0..<max(least, min(times, most ?? times)) where !write(inner) { return false }
            return true
        }
    }
}
