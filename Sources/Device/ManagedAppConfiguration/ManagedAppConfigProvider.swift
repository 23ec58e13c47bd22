public import Configuration
package import ManagedApp
import Synchronization

/// An app's managed configuration as a provider of swift-configuration, always up to date.
///
/// ```swift
/// let config = ConfigReader(provider: await ManagedAppConfigProvider())
/// let port = config.int(forKey: "server.port", default: 443)
/// ```
///
/// A key's components are the names on the way through the dictionaries. A name that has a dot in it is one component:
/// `ConfigKey(["server.port"])` is another key than `"server.port"`.
///
/// | in the property list | read as |
/// | --- | --- |
/// | string, boolean, data | string, bool, bytes |
/// | integer | int, and double |
/// | real | double |
/// | date | string, `2026-01-02T03:04:05Z` |
/// | array of strings, integers, reals, booleans or data | the array of it |
/// | dictionary, other array | bytes that are JSON |
///
/// A value that is asked for as something else is an error of its own; one that is not there is none. An app that is not
/// managed, or has no configuration, has no values.
public final class ManagedAppConfigProvider: ConfigProvider {
    /// What reports of access call it.
    public let providerName = "ManagedAppConfigProvider"

    private let link: AgentLink
    private let secrets: SecretsSpecifier<[String], ConfigContent>
    private let latest = Mutex<ManagedAppConfigSnapshot?>(nil)
    // Keeps the stream of this process alive for those who only read.
    private let subscription: Subscription<LinkSnapshot>

    /// Makes a provider; waits up to five seconds for the device's first answer.
    ///
    /// - Parameter secretsSpecifier: Which values are secrets, by the components of their keys: swift-configuration shows
    ///   them nowhere. Passwords do not belong into a configuration; there are providers for them in ManagedApp.
    public convenience init(secretsSpecifier: SecretsSpecifier<[String], ConfigContent> = .none) async {
        await self.init(link: .shared, secretsSpecifier: secretsSpecifier)
    }

    /// Makes a provider on a link of one's own.
    package init(link: AgentLink, secretsSpecifier: SecretsSpecifier<[String], ConfigContent> = .none) async {
        self.link = link
        secrets = secretsSpecifier
        subscription = link.subscribe()
        while link.news.standing == .waiting, await subscription.next(isolation: nil) != nil {}
    }

    /// The value as the device said it last.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try snapshot(of: link.news).value(forKey: key, type: type)
    }

    /// The same as `value`: what the device said last is here already, and when it says something else that comes at once.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    /// Hands over the value, and each later one that differs; ends when the task is canceled.
    public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (
            _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
        ) async throws -> Return
    ) async throws -> Return {
        try await updatesHandler(
            ConfigUpdatesAsyncSequence(
                ManagedAppConfigUpdates(link: link) { [self] news in
                    let snapshot = snapshot(of: news)
                    return Result { try snapshot.value(forKey: key, type: type) }
                } differ: { one, other in
                    guard case .success(let one) = one, case .success(let other) = other else { return true }
                    return one != other
                }))
    }

    /// All values as the device said them last.
    public func snapshot() -> any ConfigSnapshot {
        snapshot(of: link.news)
    }

    /// Hands over all values, and again whenever the configuration changes; ends when the task is canceled.
    public func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        try await updatesHandler(
            ConfigUpdatesAsyncSequence(
                ManagedAppConfigUpdates(link: link) { [self] news -> any ConfigSnapshot in
                    snapshot(of: news)
                } differ: { _, _ in
                    true
                }))
    }

    // Read once for each version, however often it is asked for.
    private func snapshot(of news: LinkSnapshot) -> ManagedAppConfigSnapshot {
        latest.withLock { latest in
            if let latest, latest.version == news.version { return latest }
            let snapshot = ManagedAppConfigSnapshot(news, providerName: providerName, secrets: secrets)
            latest = snapshot
            return snapshot
        }
    }
}

extension ManagedAppConfigProvider: CustomStringConvertible {
    /// Its name; no value.
    public var description: String { providerName }
}
