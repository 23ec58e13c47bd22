import Synchronization

/// The newest word on something, for any number of readers.
final class NoticeBoard<News: Equatable & Sendable>: Sendable {
    private struct State {
        var news: News
        var readers: [Int: Mailbox<News>] = [:]
        var nextReader = 0
        var hasBegun = false
    }

    private let state: Mutex<State>

    init(_ news: News) {
        state = Mutex(State(news: news))
    }

    /// What is known now.
    var news: News { state.withLock { $0.news } }

    /// Begins to read: what is known now, then what is new.
    ///
    /// The first reader makes it begin.
    func subscribe(begin: () -> Void) -> Subscription<News> {
        let (number, mailbox, begins) = state.withLock { state in
            let mailbox = Mailbox(state.news)
            let number = state.nextReader
            state.nextReader += 1
            state.readers[number] = mailbox
            defer { state.hasBegun = true }
            return (number, mailbox, !state.hasBegun)
        }
        if begins { begin() }
        return Subscription(
            mailbox: mailbox,
            again: { [weak self] in
                // Under the lock, as all news.
                self?.state.withLock { $0.readers[number]?.post($0.news) }
            },
            cancel: { [weak self] in
                self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
            })
    }

    /// Changes what is known; readers hear of it when that made a difference.
    func change(_ change: (inout News) -> Void) {
        state.withLock { state in
            let former = state.news
            change(&state.news)
            guard state.news != former else { return }
            // Posted under the lock: no reader ever gets older news after newer.
            for mailbox in state.readers.values { mailbox.post(state.news) }
        }
    }
}
