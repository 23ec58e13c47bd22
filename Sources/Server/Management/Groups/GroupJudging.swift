/// Wakes the task that judges devices, revokes what they lost and empties removed groups.
package struct GroupJudging: Sendable {
    /// A call for each time that somebody waits; several at once are one.
    package let calls: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (calls, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // What waited when the server ended goes on when it begins.
        continuation.yield()
    }

    func begin() { continuation.yield() }
}
