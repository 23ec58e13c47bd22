public import Foundation
import Synchronization

extension ManagedAppConfigurationProvider {
    /// The configurations, and while there is none the fallback's.
    ///
    /// Martlet's own. An app that moves here from an older way of being configured reads both, and what comes this way
    /// goes before: an administrator can move a fleet without a moment in which an app has nothing.
    ///
    /// ```swift
    /// let legacy = LegacyConfiguration { UserDefaults.standard.dictionary(forKey: "com.apple.configuration.managed") }
    /// for await configuration in await provider.configurations(MyConfiguration.self, fallback: legacy.configurations) {
    ///     apply(configuration ?? .standard)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - t: The type to decode, from either source.
    ///   - fallback: Property lists, the present one first, then each new one; `nil` where there is none. A list that
    ///     the type's decoder refuses counts as `nil`, and the server gets no report of it.
    /// - Returns: A sequence that never ends by itself. An element is `nil` where neither source has a configuration.
    public func configurations<Configuration>(
        _ t: Configuration.Type, fallback: some AsyncSequence<Data?, Never> & Sendable
    ) async -> some AsyncSequence<Configuration?, Never> & Sendable where Configuration: Decodable & Sendable {
        let limited = self.decoding
        return FallbackStream.of(
            ConfigurationSequence<Configuration>(link: self.link, decoding: limited),
            else: fallback.map { data -> Configuration? in
                guard let data, case .value(let value) = await limited.decode(Configuration.self, from: data) else {
                    return nil
                }
                return value
            })
    }
}

/// What an app was configured with before, for the time in which administrators use both.
public struct LegacyConfiguration: Sendable {
    /// The property list now, then once after each change.
    public let configurations: AsyncStream<Data?>

    private let continuation: AsyncStream<Data?>.Continuation
    private let read: @Sendable () -> [String: Any]?

    /// Reads a dictionary of property-list values wherever it lies; what is no property list counts as none.
    public init(_ read: @escaping @Sendable () -> [String: Any]?) {
        self.read = read
        (configurations, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        changed()
    }

    /// Says that it may have changed; it is read again.
    public func changed() {
        continuation.yield(
            read().flatMap { try? PropertyListSerialization.data(fromPropertyList: $0, format: .xml, options: 0) })
    }
}

/// Shows an app as if it were configured, to reviewers and to customers who are not.
///
/// ```swift
/// let demo = ManagedAppDemo(configuration: sample)
/// demo.isOn = CommandLine.arguments.contains("--demo")
/// for await configuration in await provider.configurations(MyConfiguration.self, fallback: demo.configurations) { … }
/// ```
///
/// A configuration that an administrator made goes before, and is not altered.
public final class ManagedAppDemo: Sendable {
    /// The sample while the demo is on, `nil` while it is not.
    public let configurations: AsyncStream<Data?>

    private let continuation: AsyncStream<Data?>.Continuation
    private let sample: Data
    private let state = Mutex(false)

    /// Makes a demo that is off.
    ///
    /// - Parameter configuration: A property list, such as the first sample of the app's specification.
    public init(configuration: Data) {
        sample = configuration
        (configurations, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield(nil)
    }

    /// Whether the sample is shown where nothing is configured.
    public var isOn: Bool {
        get { state.withLock { $0 } }
        set {
            state.withLock { isOn in
                isOn = newValue
                continuation.yield(newValue ? sample : nil)
            }
        }
    }
}

/// What one sequence has, and while it has nothing, what another has.
package enum FallbackStream {
    /// Nothing of `other` comes before `first` has said what it has.
    package static func of<Value: Sendable>(
        _ first: some AsyncSequence<Value?, Never> & Sendable, else other: some AsyncSequence<Value?, Never> & Sendable
    ) -> AsyncStream<Value?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let heard = Heard(continuation)
            let task = Task {
                async let one: Void = follow(first) { heard.first($0) }
                async let another: Void = follow(other) { heard.other($0) }
                _ = await (one, another)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private static func follow<Value: Sendable>(
        _ values: some AsyncSequence<Value?, Never> & Sendable, _ receive: @Sendable (Value?) -> Void
    ) async {
        for await value in values { receive(value) }
    }

    /// What was heard of each, and what follows.
    private final class Heard<Value: Sendable>: Sendable {
        private let last = Mutex<(first: Value??, other: Value??)>((nil, nil))
        private let continuation: AsyncStream<Value?>.Continuation

        init(_ continuation: AsyncStream<Value?>.Continuation) { self.continuation = continuation }

        func first(_ value: Value?) {
            last.withLock { last in
                last.first = .some(value)
                // Where there is nothing, and nothing is known of the other yet, its first word decides.
                if let chosen = value.map(Optional.some) ?? last.other { continuation.yield(chosen) }
            }
        }

        func other(_ value: Value?) {
            last.withLock { last in
                last.other = .some(value)
                if case .some(.none) = last.first { continuation.yield(value) }
            }
        }
    }
}
