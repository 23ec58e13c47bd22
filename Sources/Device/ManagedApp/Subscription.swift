import Synchronization

/// One reader of news.
///
/// It gets the newest only: what it was too slow for is gone.
package final class Subscription<News: Sendable>: Sendable {
    private let mailbox: Mailbox<News>
    private let again: @Sendable () -> Void
    private let cancel: @Sendable () -> Void

    init(
        mailbox: Mailbox<News>, again: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void
    ) {
        self.mailbox = mailbox
        self.again = again
        self.cancel = cancel
    }

    deinit {
        cancel()
    }

    /// Has this reader get what is known once more, so that it wakes.
    func remind() { again() }

    /// The next news; nil once the task is canceled.
    package func next(isolation actor: isolated (any Actor)?) async -> News? {
        await mailbox.next(isolation: actor)
    }
}

/// Room for one piece of news.
final class Mailbox<News: Sendable>: Sendable {
    private struct Content {
        var news: News?
        var reader: CheckedContinuation<News?, Never>?
        var isClosed = false
    }

    private let content: Mutex<Content>

    init(_ news: News?) {
        content = Mutex(Content(news: news))
    }

    /// The next news; nil once the task is canceled.
    ///
    /// Every closure is bound to the reader's actor: one that is not would go through the pool of threads.
    func next(isolation actor: isolated (any Actor)?) async -> News? {
        await withTaskCancellationHandler {
            await MainActorHop.wait(isolation: actor) {
                await withCheckedContinuation(isolation: actor) { wait($0) }
            }
        } onCancel: {
            close()
        }
    }

    /// Leaves news in the place of older news.
    func post(_ news: News) {
        let reader = content.withLock { content -> CheckedContinuation<News?, Never>? in
            guard let reader = content.reader else {
                content.news = news
                return nil
            }
            content.reader = nil
            return reader
        }
        reader?.resume(returning: news)
    }

    // Resumes the reader when there is news.
    private func wait(_ reader: CheckedContinuation<News?, Never>) {
        let now = content.withLock {
            content -> (resumed: CheckedContinuation<News?, Never>?, news: News?) in
            // One reader at a time; a second means that the first was given up.
            let former = content.reader
            content.reader = nil
            if content.isClosed { return (reader, nil) }
            if let news = content.news {
                content.news = nil
                return (reader, news)
            }
            content.reader = reader
            return (former, nil)
        }
        now.resumed?.resume(returning: now.news)
    }

    // Lets the reader go.
    private func close() {
        let reader = content.withLock { content -> CheckedContinuation<News?, Never>? in
            content.isClosed = true
            content.news = nil
            defer { content.reader = nil }
            return content.reader
        }
        reader?.resume(returning: nil)
    }
}
