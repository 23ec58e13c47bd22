import Synchronization

/// Wakes the installer, or other work of the agent, when there may be something to do.
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

    /// Each ringing, until the task is canceled; for one listener.
    func listen() -> AsyncStream<Void> { stream }

    /// Calls `pass` once at the start and then at each ring, until the task is canceled; `pass` returns whether all is
    /// done.
    ///
    /// If something is left, it rings again after `rest`.
    func work(rest: Duration = .seconds(10), _ pass: () async -> Bool) async {
        ring()
        var retry: Task<Void, Never>?
        for await _ in listen() {
            let isDone = await pass()
            guard !Task.isCancelled else { break }
            retry?.cancel()
            retry = isDone ? nil : Task { if (try? await Task.sleep(for: rest)) != nil { ring() } }
        }
        retry?.cancel()
    }

    /// Whether there was news since this was asked last.
    func takeNews() -> Bool {
        news.withLock { news in
            defer { news = false }
            return news
        }
    }
}
