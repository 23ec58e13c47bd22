/// The identifiers of one kind of secret: none, for as long as the task lives, since nothing is provisioned yet.
struct SecretIdentifierSequence: AsyncSequence {
    typealias Element = [String]
    typealias Failure = Never

    func makeAsyncIterator() -> Iterator { Iterator() }

    /// One reader.
    struct Iterator: AsyncIteratorProtocol {
        private var hasBegun = false

        init() {}

        mutating func next() async -> [String]? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> [String]? {
            guard hasBegun else {
                hasBegun = true
                return []
            }
            // Nothing ever comes; only cancellation ends the wait.
            _ = await Mailbox(nil).next(isolation: actor)
            return nil
        }
    }
}
