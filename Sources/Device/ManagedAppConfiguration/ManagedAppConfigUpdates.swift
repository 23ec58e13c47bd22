import ManagedApp

/// What is read from each new version of the configuration, the current one first; ends when its task is canceled.
///
/// A reader that is slow gets the newest only.
struct ManagedAppConfigUpdates<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = Never

    let link: AgentLink
    let read: @Sendable (LinkSnapshot) -> Element
    let differ: @Sendable (Element, Element) -> Bool

    init(
        link: AgentLink, _ read: @escaping @Sendable (LinkSnapshot) -> Element,
        differ: @escaping @Sendable (Element, Element) -> Bool
    ) {
        self.link = link
        self.read = read
        self.differ = differ
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(subscription: link.subscribe(), read: read, differ: differ)
    }

    /// One reader.
    struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription<LinkSnapshot>
        let read: @Sendable (LinkSnapshot) -> Element
        let differ: @Sendable (Element, Element) -> Bool
        private var last: (version: String, element: Element)?

        init(
            subscription: Subscription<LinkSnapshot>, read: @escaping @Sendable (LinkSnapshot) -> Element,
            differ: @escaping @Sendable (Element, Element) -> Bool
        ) {
            self.subscription = subscription
            self.read = read
            self.differ = differ
        }

        mutating func next() async -> Element? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let news = await subscription.next(isolation: actor) {
                // The version alone decides: a device that comes or goes changes nothing for the app.
                guard news.standing != .waiting, news.version != last?.version else { continue }
                let element = read(news)
                let isAnother = last.map { differ($0.element, element) } ?? true
                last = (news.version, element)
                if isAnother { return element }
            }
            return nil
        }
    }
}
