package import Logging
import Synchronization

/// What was logged during a test, line by line.
package final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var all: [String] { lines.withLock { $0 } }

    /// Whether one line says all of these.
    package func say(_ parts: String...) -> Bool {
        all.contains { line in parts.allSatisfy(line.contains) }
    }

    package func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = "\(event.level) \(event.message) " + all.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.lines.withLock { $0.append(line) }
        }
    }
}
