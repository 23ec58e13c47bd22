import Testing

/// Lets only a few roads be built at once.
///
/// Each is a server, an agent and apps in processes of their own; all of them together on two cores would only wait for
/// one another until something's patience ends.
struct RoadTrait: SuiteTrait, TestTrait, TestScoping {
    private static let permits = Permits(6)

    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite's own scope is around all its tests; only a test takes its turn.
        guard testCase != nil else { return try await function() }
        await Self.permits.take()
        do {
            try await function()
        } catch {
            await Self.permits.giveBack()
            throw error
        }
        await Self.permits.giveBack()
    }
}

extension Trait where Self == RoadTrait {
    /// The test waits for its turn to have processes of its own.
    static var inTurn: Self { RoadTrait() }
}

/// A number of turns, given out in the order in which they are asked for.
private actor Permits {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
