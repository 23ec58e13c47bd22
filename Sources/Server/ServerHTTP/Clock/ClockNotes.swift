import Logging
import Management
import Synchronization

/// Says when the clock stepped, and when what the server held back for it goes on.
final class ClockNotes: Sendable {
    private let logger: Logger
    private let wasBelieved = Mutex(true)

    init(_ logger: Logger) { self.logger = logger }

    func look(at management: Management) {
        for event in management.clock.takeEvents() { say(event) }
        let isBelieved = management.believesClock
        let was = wasBelieved.withLock { wasBelieved in
            defer { wasBelieved = isBelieved }
            return wasBelieved
        }
        guard was != isBelieved else { return }
        if isBelieved {
            logger.notice("the time is believed: what has had its time is deleted again")
        } else {
            logger.warning(
                """
                the time is more than a day beyond what this server has lived through: nothing is deleted for its age \
                until the clock is back, or has gone on for a day; if it is wrong, look at the machine's time service
                """)
        }
    }

    func say(_ event: ClockEvent) {
        switch event {
        case .stepped(let step) where step.isForward:
            logger.warning(
                """
                the clock was set forward: until it is back, or has gone on for a day, nothing is deleted for its age, \
                and for an hour no certificates are issued; if it is wrong, look at the machine's time service (chronyc \
                tracking, timedatectl timesync-status); if it is right, a restart issues certificates at once
                """, metadata: Self.metadata(step))
        case .stepped(let step):
            logger.warning(
                """
                the clock was set back: what was signed and issued before may not be valid yet; if it is wrong, look \
                at the machine's time service (chronyc tracking, timedatectl timesync-status)
                """, metadata: Self.metadata(step))
        case .returned(let step):
            logger.notice("the clock is back where it was going", metadata: Self.metadata(step))
        case .settled(let step):
            logger.notice(
                "the clock has gone on for a day since it was set: it is believed", metadata: Self.metadata(step))
        }
    }

    private static func metadata(_ step: ClockStep) -> Logger.Metadata { ["seconds": "\(step.wholeSeconds)"] }
}
