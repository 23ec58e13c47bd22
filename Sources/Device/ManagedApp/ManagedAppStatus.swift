import AppMessages

/// Why the current configuration is what it is.
///
/// Martlet's own: Apple's framework has nothing like it.
///
/// An element of ``ManagedAppConfigurationProvider/configurations(_:)`` that is `nil` does not say why; this does, and
/// tells an app that was never told anything apart from one that is known to be unmanaged.
public struct ManagedAppStatus: Hashable, Sendable {
    /// What there is.
    public enum Configuration: Hashable, Sendable {
        /// There is a configuration, and no decoder of this process has refused it.
        case available

        /// The device does not manage this app, or did not start this process.
        case notManaged

        /// The device manages this app and has no configuration for it.
        case notConfigured

        /// There is a configuration, and the app's decoder refused it.
        case refused(Refusal)

        /// There is a configuration, and the app's decoder did not end in time.
        case timedOut

        /// This is an extension from which everything is kept: it is of a restricted kind and was not granted full access.
        case fullAccessNeeded

        /// The device has not answered since this process began.
        case agentUnreachable
    }

    /// How a decoder refused a configuration.
    public struct Refusal: Hashable, Sendable {
        /// The app's own code, or a reserved one.
        public let code: Int

        /// What is wrong, in words.
        public let message: String

        /// Where in the property list, for example `managedCollection.landmarks[2]`.
        public let keyPath: String?
    }

    /// What there is, or why there is nothing.
    public let configuration: Configuration

    /// Whether the device has ever synchronized with its server.
    public let hasSynchronised: Bool

    /// Whether what is known may be out of date.
    public let isStale: Bool

    /// Whether secrets that are meant for this app are kept from this process.
    ///
    /// The device is not as sure that it is the app as the administrator asks: it was not started by the device's agent, or
    /// as a user whom other programs share. Every look-up then throws ``ManagedAppError/internalError``.
    public let secretsAreWithheld: Bool

    /// Whether the device is connected to this process now.
    ///
    /// What was delivered stays valid while it is not.
    public let isAgentReachable: Bool

    /// The status now; waits up to five seconds for the device's first answer.
    public static var current: ManagedAppStatus {
        get async { await of(.shared) }
    }

    /// The status now, and again after each change; never ends by itself.
    public static var updates: some AsyncSequence<ManagedAppStatus, Never> & Sendable {
        get async { ManagedAppStatusSequence(link: .shared) }
    }

    /// The status of a link of one's own.
    package static func of(_ link: AgentLink) async -> ManagedAppStatus {
        for await status in ManagedAppStatusSequence(link: link) { return status }
        return ManagedAppStatus(LinkSnapshot())
    }

    /// What a link knows, as a status.
    package init(_ snapshot: LinkSnapshot) {
        hasSynchronised = snapshot.state?.synchronised ?? false
        isStale = snapshot.state?.stale ?? false
        secretsAreWithheld = snapshot.state?.secretsWithheld ?? false
        isAgentReachable = snapshot.isConnected
        configuration =
            switch snapshot.standing {
            case .waiting, .unreachable: .agentUnreachable
            case .notLaunched: .notManaged
            case .told:
                if snapshot.state?.managed != true {
                    .notManaged
                } else if snapshot.state?.needsFullAccess == true {
                    .fullAccessNeeded
                } else if snapshot.configuration == nil {
                    .notConfigured
                } else if let refusal = snapshot.refusal,
                    refusal.code == ManagedAppConfigurationDecodingErrorCode.timeout
                {
                    .timedOut
                } else if let refusal = snapshot.refusal {
                    .refused(Refusal(code: refusal.code, message: refusal.message, keyPath: refusal.keyPath))
                } else {
                    .available
                }
            }
    }
}

/// Each status that differs from the one before it.
package struct ManagedAppStatusSequence: AsyncSequence, Sendable {
    private let link: AgentLink

    /// The statuses of a link.
    package init(link: AgentLink) {
        self.link = link
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(subscription: link.subscribe())
    }

    /// One reader of statuses.
    package struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription<LinkSnapshot>
        private var last: ManagedAppStatus?

        init(subscription: Subscription<LinkSnapshot>) {
            self.subscription = subscription
        }

        package mutating func next() async -> ManagedAppStatus? {
            await next(isolation: #isolation)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> ManagedAppStatus? {
            while let snapshot = await subscription.next(isolation: actor) {
                let status = ManagedAppStatus(snapshot)
                guard snapshot.standing != .waiting, status != last else { continue }
                last = status
                return status
            }
            return nil
        }
    }
}
