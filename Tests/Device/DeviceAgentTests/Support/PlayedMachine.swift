import DeviceAgent
import Synchronization

/// A machine that is restarted by nobody but the test: each action that it performs is the end of a boot.
final class PlayedMachine: MachineControl {
    struct Refused: Error {}

    private struct Contents {
        var boot = 1
        var performed: [MachineAction] = []
        var asked: [MachineAction] = []
        var obstacle: String?
        var refuses = false
        var lingers = false
    }

    private let contents = Mutex(Contents())

    /// What it did, in order.
    var performed: [MachineAction] { contents.withLock { $0.performed } }
    /// The actions that callers asked about, in order.
    var asked: [MachineAction] { contents.withLock { $0.asked } }

    /// Says from now on that it cannot, for this reason.
    func stands(against obstacle: String?) { contents.withLock { $0.obstacle = obstacle } }

    /// Whether it refuses, although it said that it can.
    func refuses(_ refuses: Bool) { contents.withLock { $0.refuses = refuses } }

    /// Sets whether it stays up for a while after an action was asked for.
    func lingers(_ lingers: Bool) { contents.withLock { $0.lingers = lingers } }

    /// Somebody restarts it.
    func restart() { contents.withLock { $0.boot += 1 } }

    func obstacle(to action: MachineAction) -> String? {
        contents.withLock { contents in
            contents.asked.append(action)
            return contents.obstacle
        }
    }

    func perform(_ action: MachineAction) throws {
        try contents.withLock { contents in
            if contents.refuses { throw Refused() }
            contents.performed.append(action)
            if !contents.lingers { contents.boot += 1 }
        }
    }

    func boot() throws -> String { contents.withLock { "boot-\($0.boot)" } }
}
