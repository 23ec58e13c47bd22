/// Calls whoever judges devices, takes from them what they lost and empties removed groups, when some wait for it.
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
