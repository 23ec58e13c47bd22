/// A pattern as a program whose states are followed side by side.
struct PatternProgram: Sendable {
    private enum Step {
        /// Takes one scalar of a class and goes on.
        case scalar(Int)
        case place(PatternPlace)
        /// Goes on at both.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private var steps: [Step] = []
    private var classes: [ScalarClass] = []
    /// Whether a match can only begin where the text does.
    private let isAnchored: Bool
    private let most: Int

    var count: Int { steps.count }

    init(_ node: PatternNode, most: Int) throws(PatternRefusal) {
        self.most = most
        isAnchored = Self.isAnchored(node)
        try add(node)
        try add(.match)
    }

    // MARK: Compiling

    private mutating func add(_ step: Step) throws(PatternRefusal) {
        guard steps.count < most else {
            throw PatternRefusal(place: 0, rule: "the pattern comes to more than \(most) steps")
        }
        steps.append(step)
    }

    private mutating func add(_ node: PatternNode) throws(PatternRefusal) {
        switch node {
        case .scalars(let set):
            classes.append(set)
            try add(.scalar(classes.count - 1))
        case .place(let place): try add(Step.place(place))
        case .sequence(let items): for item in items { try add(item) }
        case .choice(let branches): try add(branches[...])
        case .repeated(let inner, let least, let most):
            for _ in 0..<least {
                let count = steps.count
                try add(inner)
                // What takes nothing takes nothing however often.
                if steps.count == count { return }
            }
            guard let most else { return try addLoop(inner) }
            // Each of those that may be left out leads to the end of all.
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(steps.count)
                try add(.split(steps.count + 1, 0))
                try add(inner)
            }
            for split in splits { steps[split] = .split(split + 1, steps.count) }
        }
    }

    private mutating func add(_ branches: ArraySlice<PatternNode>) throws(PatternRefusal) {
        guard let first = branches.first else { return }
        guard branches.count > 1 else { return try add(first) }
        let split = steps.count
        try add(.split(0, 0))
        try add(first)
        let jump = steps.count
        try add(.jump(0))
        steps[split] = .split(split + 1, steps.count)
        try add(branches.dropFirst())
        steps[jump] = .jump(steps.count)
    }

    private mutating func addLoop(_ inner: PatternNode) throws(PatternRefusal) {
        let split = steps.count
        try add(.split(0, 0))
        try add(inner)
        try add(.jump(split))
        steps[split] = .split(split + 1, steps.count)
    }

    private static func isAnchored(_ node: PatternNode) -> Bool {
        switch node {
        case .place(.start): true
        case .sequence(let items): items.first.map(isAnchored) ?? false
        case .choice(let branches): branches.allSatisfy(isAnchored)
        case .repeated(let inner, let least, _): least > 0 && isAnchored(inner)
        default: false
        }
    }

    // MARK: Matching

    /// Nil if the budget was not enough.
    func matches(_ text: String.UnicodeScalarView, budget: inout Int) -> Bool? {
        // What is kept of the states is made first.
        budget -= 16 + steps.count / 32
        guard budget > 0 else { return nil }
        var current = States(count: steps.count)
        var following = States(count: steps.count)
        var before: Unicode.Scalar?
        var iterator = text.makeIterator()
        var scalar = iterator.next()
        while true {
            if before == nil || !isAnchored { enter(0, &current, before, scalar) }
            if current.isMatch { return true }
            budget -= current.visits + 1
            guard budget > 0 else { return nil }
            guard let taken = scalar else { return false }
            if current.list.isEmpty, isAnchored { return false }
            scalar = iterator.next()
            for step in current.list {
                guard case .scalar(let set) = steps[step], classes[set].contains(taken) else { continue }
                enter(step + 1, &following, taken, scalar)
            }
            swap(&current, &following)
            following.clear()
            before = taken
        }
    }

    /// Adds a state and those that are reached from it without taking a scalar.
    private func enter(
        _ first: Int, _ states: inout States, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
    ) {
        states.pending.append(first)
        while let step = states.pending.popLast() {
            guard states.insert(step) else { continue }
            switch steps[step] {
            case .scalar: states.list.append(step)
            case .match: states.isMatch = true
            case .jump(let target): states.pending.append(target)
            case .split(let one, let other):
                states.pending.append(other)
                states.pending.append(one)
            case .place(let place):
                if Self.isAt(place, before, after) { states.pending.append(step + 1) }
            }
        }
    }

    private static func isAt(_ place: PatternPlace, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
        switch place {
        case .start: before == nil
        case .end: after == nil
        case .wordBoundary: isWord(before) != isWord(after)
        case .noWordBoundary: isWord(before) == isWord(after)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarClass.word.contains) ?? false }

    /// The states that the text can be in after so many scalars.
    private struct States {
        /// Those that wait for a scalar.
        var list: [Int] = []
        var pending: [Int] = []
        var isMatch = false
        private(set) var visits = 0
        private var seen: [UInt32]
        private var round: UInt32 = 1

        init(count: Int) { seen = Array(repeating: 0, count: count) }

        mutating func insert(_ step: Int) -> Bool {
            guard seen[step] != round else { return false }
            seen[step] = round
            visits += 1
            return true
        }

        mutating func clear() {
            list.removeAll(keepingCapacity: true)
            isMatch = false
            visits = 0
            round &+= 1
        }
    }
}
