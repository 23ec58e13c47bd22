import Synchronization

/// One reader of what the link learns.
///
/// It gets the newest only: what it was too slow for is gone.
package final class Subscription: Sendable {
    private let mailbox: Mailbox
    private let cancel: @Sendable () -> Void

    init(mailbox: Mailbox, cancel: @escaping @Sendable () -> Void) {
        self.mailbox = mailbox
        self.cancel = cancel
    }

    deinit {
        cancel()
    }

    /// The next news; nil once the task is cancelled.
    func next(isolation actor: isolated (any Actor)?) async -> LinkSnapshot? {
        await mailbox.next(isolation: actor)
    }
}

/// Room for one piece of news.
final class Mailbox: Sendable {
    private struct Content {
        var news: LinkSnapshot?
        var reader: CheckedContinuation<LinkSnapshot?, Never>?
        var isClosed = false
    }

    private let content: Mutex<Content>

    init(_ news: LinkSnapshot?) {
        content = Mutex(Content(news: news))
    }

    /// The next news; nil once the task is cancelled.
    ///
    /// Every closure is bound to the reader's actor: one that is not would go through the pool of threads.
    func next(isolation actor: isolated (any Actor)?) async -> LinkSnapshot? {
        await withTaskCancellationHandler {
            await MainActorHop.wait(isolation: actor) {
                await withCheckedContinuation(isolation: actor) { wait($0) }
            }
        } onCancel: {
            close()
        }
    }

    /// Leaves news in the place of older news.
    func post(_ news: LinkSnapshot) {
        let reader = content.withLock { content -> CheckedContinuation<LinkSnapshot?, Never>? in
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
    private func wait(_ reader: CheckedContinuation<LinkSnapshot?, Never>) {
        let now = content.withLock {
            content -> (resumed: CheckedContinuation<LinkSnapshot?, Never>?, news: LinkSnapshot?) in
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
        let reader = content.withLock { content -> CheckedContinuation<LinkSnapshot?, Never>? in
            content.isClosed = true
            content.news = nil
            defer { content.reader = nil }
            return content.reader
        }
        reader?.resume(returning: nil)
    }
}
