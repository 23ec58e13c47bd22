/// What a number of things took.
struct Cost: Sendable {
    var count = 0
    var seconds = 0.0
    /// The server's CPU time, where its process is watched.
    var serverSeconds: Double?

    /// Measures what `body` takes to do `count` things.
    static func of(
        _ count: Int, serverPid: Int? = nil, _ body: () async throws -> Void
    ) async throws -> Cost {
        let before = try serverPid.map { try ProcessUsage(of: "\($0)").cpuSeconds }
        let begun = ContinuousClock.now
        try await body()
        let seconds = begun.duration(to: .now) / .seconds(1)
        let after = try serverPid.map { try ProcessUsage(of: "\($0)").cpuSeconds }
        let used = before.flatMap { before in after.map { $0 - before } }
        return Cost(count: count, seconds: seconds, serverSeconds: used)
    }

    mutating func add(_ other: Cost) {
        count += other.count
        seconds += other.seconds
        if let added = other.serverSeconds { serverSeconds = (serverSeconds ?? 0) + added }
    }

    var perSecond: Double { Double(count) / seconds }
    var microsecondsEach: Double { seconds * 1_000_000 / Double(max(count, 1)) }
    var serverMillisecondsEach: Double? { serverSeconds.map { $0 * 1_000 / Double(max(count, 1)) } }
}

/// Two things that are measured in turns, so that their ratio stands even where the machine is shared.
struct Turns: Sendable {
    private(set) var first: [Cost] = []
    private(set) var second: [Cost] = []

    /// Has so many turns; `measureFirst` is the earlier one in every other.
    static func take(
        _ count: Int, _ measureFirst: () async throws -> Cost, second measureSecond: () async throws -> Cost
    ) async throws -> Turns {
        var turns = Turns()
        for turn in 0..<count {
            // The earlier one of a turn finds other caches than the later one.
            if turn.isMultiple(of: 2) { turns.first.append(try await measureFirst()) }
            turns.second.append(try await measureSecond())
            if !turn.isMultiple(of: 2) { turns.first.append(try await measureFirst()) }
        }
        return turns
    }
}

extension [Cost] {
    /// All of them together.
    var sum: Cost { reduce(into: Cost()) { $0.add($1) } }

    /// The median of what is read of each; there is at least one.
    func median(_ value: (Cost) -> Double) -> Double { map(value).sorted()[count / 2] }
}
