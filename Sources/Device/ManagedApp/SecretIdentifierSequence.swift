/// The identifiers of one kind of secret, whenever they or the values behind them change.
struct SecretIdentifierSequence: AsyncSequence {
    typealias Element = [String]
    typealias Failure = Never

    /// Begins to read; every iteration stands alone.
    let subscribe: () -> Subscription<SecretNews>

    func makeAsyncIterator() -> Iterator { Iterator(subscription: subscribe()) }

    /// One reader, with its own place in the sequence.
    struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription<SecretNews>
        private var heard: SecretNews?

        init(subscription: Subscription<SecretNews>) {
            self.subscription = subscription
        }

        mutating func next() async -> [String]? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> [String]? {
            while let news = await subscription.next(isolation: actor) {
                guard news.standing != .waiting else { continue }
                let former = heard
                heard = news
                guard let former else { return news.identifiers }
                // That the agent was found or lost is no change; nor is its word that there is nothing, after none.
                guard news.tellings != former.tellings, former.tellings > 0 || !news.identifiers.isEmpty else {
                    continue
                }
                return news.identifiers
            }
            return nil
        }
    }
}
