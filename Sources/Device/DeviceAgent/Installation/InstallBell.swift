import Synchronization

/// Tells the installer that there may be something to do.
package final class InstallBell: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let news = Mutex(false)

    package init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Rings; with `isNews` apps and server are to hear of what has changed already.
    package func ring(isNews: Bool = false) {
        if isNews { news.withLock { $0 = true } }
        continuation.yield()
    }

    /// Each ringing, until the task is cancelled; for one listener.
    func listen() -> AsyncStream<Void> { stream }

    /// Whether there was news since this was asked last.
    func takeNews() -> Bool {
        news.withLock { news in
            defer { news = false }
            return news
        }
    }
}
