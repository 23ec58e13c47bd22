/// Wakes a background task when there may be work for it.
package struct Bell: Sendable {
    /// A ring for each time that there is work; several at once are one.
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // What waited when the server ended goes on when it begins.
        continuation.yield()
    }

    package func ring() { continuation.yield() }
}
