import Foundation
import Synchronization

/// Listens to one wake stream and rings when the server means us.
final class WakeEar: Sendable {
    private let lines: Mutex<WakeLines>
    private let heard = Mutex(false)
    private let doorbell: Doorbell

    init(pushMagic: String, doorbell: Doorbell) {
        lines = Mutex(WakeLines(pushMagic: pushMagic))
        self.doorbell = doorbell
    }

    /// Whether the stream was ever open.
    var heardAnything: Bool { heard.withLock { $0 } }

    /// The stream is open, so the server is back: what could not be done without it is done now.
    func opened() {
        heard.withLock { $0 = true }
        doorbell.ringOwed(and: .called)
    }

    func take(_ bytes: Data) throws {
        if lines.withLock({ $0.take(bytes) }) { doorbell.ring([.commands, .called]) }
    }
}
