package import Foundation

/// Which commands have taken effect, and what was answered: so that none takes effect twice.
///
/// The effect of most commands is a change of the agent's own state. The effect, the command's UUID and its result are one
/// generation: after a crash either all three are there, and the result is sent again when the server repeats the command,
/// or none is, and the command is executed for the first time. A command that acts outside the state (a trial) records
/// before it acts, as its result, that it came to no end; that is the answer after a crash. One that has the machine do
/// something is recorded with what is to be done, which is done once the server has confirmed the result.
package struct CommandLedger: Codable, Equatable, Sendable {
    /// The queue is serial: a server repeats its latest command, or after a restored backup a few before it.
    private static let limit = 32

    /// A command that has taken effect.
    package struct Entry: Codable, Equatable, Sendable {
        package let uuid: String
        /// The report as it is sent.
        package let report: Data
        package var isDelivered = false
    }

    private var entries: [Entry] = []

    package init() {}

    /// The result that the server has not confirmed yet.
    package var undelivered: Entry? { entries.last { !$0.isDelivered } }

    /// What was answered to this command, if it has taken effect.
    package func answer(to uuid: String) -> Data? { entries.last { $0.uuid == uuid }?.report }

    /// Whether the server has confirmed the result of this command.
    package func isDelivered(_ uuid: String) -> Bool { entries.contains { $0.uuid == uuid && $0.isDelivered } }

    /// Records that a command has taken effect, in the same change as the effect.
    package mutating func record(_ uuid: String, report: Data) {
        entries.removeAll { $0.uuid == uuid }
        entries.append(Entry(uuid: uuid, report: report))
        entries.removeFirst(max(0, entries.count - Self.limit))
    }

    /// The server has confirmed a result.
    package mutating func delivered(_ uuid: String) {
        for index in entries.indices where entries[index].uuid == uuid { entries[index].isDelivered = true }
    }
}
