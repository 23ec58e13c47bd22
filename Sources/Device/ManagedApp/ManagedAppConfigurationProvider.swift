/// Delivers the configuration that an administrator made for this app.
///
/// ```swift
/// for await configuration in await ManagedAppConfigurationProvider().configurations(MyConfiguration.self) {
///     apply(configuration)    // nil: not managed, not configured, or refused by the decoder
/// }
/// ```
///
/// The first element comes at once; each further one when the administrator has changed something. What came last is
/// the current configuration. The loop ends when its task is canceled and otherwise never; while nothing changes it
/// costs nothing.
public class ManagedAppConfigurationProvider {
    let link: AgentLink
    let decoding: TimedDecoding

    /// Makes a provider; any number of them may exist.
    public init() {
        link = .shared
        decoding = .standard
    }

    /// Makes a provider on a link and with a time limit of one's own.
    package init(link: AgentLink, decoding: TimedDecoding = .standard) {
        self.link = link
        self.decoding = decoding
    }

    /// The configurations, decoded as the given type: the current one, then each new one.
    ///
    /// Every iteration stands alone. An element is `nil` when the app is not managed, when it has no configuration, and
    /// when decoding failed or took too long; ``ManagedAppStatus`` says which.
    ///
    /// - Parameter t: The type to decode, with a property list's root as its root.
    /// - Returns: A sequence that never ends by itself.
    public func configurations<Configuration>(
        _ t: Configuration.Type
    ) async -> some AsyncSequence<Configuration?, Never> where Configuration: Decodable {
        ConfigurationSequence<Configuration>(link: link, decoding: decoding)
    }
}
