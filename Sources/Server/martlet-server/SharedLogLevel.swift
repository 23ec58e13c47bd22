import Logging
import Synchronization

/// How much is logged: one level for every logger of the process, which may change while it runs.
final class SharedLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    var value: Logger.Level { level.withLock { $0 } }

    func set(_ value: Logger.Level) {
        level.withLock { $0 = value }
    }
}

/// Hands on what the shared level lets through.
struct LevelledLog: LogHandler {
    var inner: any LogHandler
    let shared: SharedLogLevel

    init(_ inner: any LogHandler, _ shared: SharedLogLevel) {
        self.inner = inner
        self.inner.logLevel = .trace
        self.shared = shared
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    /// Nobody sets it but for all.
    var logLevel: Logger.Level {
        get { shared.value }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { inner.log(event: event) }
}
