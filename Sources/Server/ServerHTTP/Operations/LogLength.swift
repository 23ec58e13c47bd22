import Logging
import Management
import Synchronization

/// Says when the store's write-ahead log becomes too long, and when it is not any more.
final class LogLength: Sendable {
    private let logger: Logger
    private let isTooLong = Mutex(false)

    init(_ logger: Logger) { self.logger = logger }

    func look(at facts: StoreFacts) {
        let was = isTooLong.withLock { isTooLong in
            defer { isTooLong = facts.isLogTooLong }
            return isTooLong
        }
        guard was != facts.isLogTooLong else { return }
        if facts.isLogTooLong {
            logger.warning(
                """
                the database's log is too long: a program that reads the database keeps it from being emptied; look for a \
                backup, or another program, that does not end
                """, metadata: ["bytes": "\(facts.logBytes)", "database": "\(facts.databaseBytes)"])
        } else {
            logger.notice("the database's log is no longer too long", metadata: ["bytes": "\(facts.logBytes)"])
        }
    }
}
