import AppMessages

/// The configurations of an app, decoded.
struct ConfigurationSequence<Configuration: Decodable>: AsyncSequence, Sendable {
    typealias Element = Configuration?
    typealias Failure = Never

    let link: AgentLink
    let decoding: TimedDecoding

    func makeAsyncIterator() -> Iterator {
        Iterator(link: link, decoding: decoding, subscription: link.subscribe())
    }

    /// One reader, with its own place in the sequence.
    struct Iterator: AsyncIteratorProtocol {
        private let link: AgentLink
        private let decoding: TimedDecoding
        private let subscription: Subscription<LinkSnapshot>
        private let trials: TrialReader
        private var yielded: String?

        init(link: AgentLink, decoding: TimedDecoding, subscription: Subscription<LinkSnapshot>) {
            self.link = link
            self.decoding = decoding
            self.subscription = subscription
            trials = link.trials.enter("\(Configuration.self)") { [weak subscription] in subscription?.remind() }
        }

        mutating func next() async -> Configuration?? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Configuration?? {
            while true {
                await attemptTrial(isolation: actor)
                guard let snapshot = await subscription.next(isolation: actor) else { return nil }
                // The version alone decides: an agent that comes or goes changes nothing for the app.
                guard snapshot.standing != .waiting, snapshot.version != yielded else { continue }
                yielded = snapshot.version
                guard let data = snapshot.configuration else { return .some(nil) }
                let outcome = await decoding.decode(Configuration.self, from: data, isolation: actor) { [link] in
                    link.note(.timeout, version: snapshot.version)
                }
                switch outcome {
                case .value(let configuration):
                    link.note(nil, version: snapshot.version)
                    return .some(configuration)
                case .refusal(let refusal):
                    link.note(refusal, version: snapshot.version)
                    return .some(nil)
                }
            }
        }

        /// Decodes what is to be tried as if it were the configuration, and uses nothing of it.
        private func attemptTrial(isolation actor: isolated (any Actor)?) async {
            guard let trial = trials.take() else { return }
            let outcome = await decoding.forTrials.decode(
                Configuration.self, from: trial.configuration, isolation: actor
            ) { [trials] in
                trials.answer(trial, .timeout)
            }
            switch outcome {
            case .value: trials.answer(trial, nil)
            case .refusal(let refusal): trials.answer(trial, refusal)
            }
        }
    }
}
