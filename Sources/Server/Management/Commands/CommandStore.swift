package import Foundation

/// Command queues, as a store keeps them.
package protocol CommandStore: Sendable {
    /// Appends a command; the same UUID again is the same command.
    func enqueue(
        _ command: QueuedCommand, for device: String, by actor: AuditActor
    ) async throws -> Outcome<QueuedCommand, AdminRefusal>
    /// Appends a command for each of several devices, all at once or none; answers in their order why one was refused.
    func enqueue(
        _ commands: [(device: String, command: QueuedCommand)], by actor: AuditActor
    ) async throws -> [AdminRefusal?]
    /// Appends a command that expires and has an app try a configuration, unless `limit` such commands are unfinished.
    func enqueueTrial(
        _ command: QueuedCommand, of subject: TrialSubject, for device: String, limit: Int
    ) async throws -> Outcome<QueuedCommand, AdminRefusal>
    /// Ends the commands whose time is over, and forgets what was in them; answers whose they were.
    func expireCommands(now: Date) async throws -> [String]
    /// Keeps a result and chooses what to send next, by the rules of `CommandQueue`.
    ///
    /// The first result counts. One exception: for a command that devices acknowledge before they carry it out, an error
    /// replaces the acknowledgement, because the device did not do what it had acknowledged.
    func exchange(
        _ report: CommandQueue.Report, result: CommandResult?, device: String, now: Date
    ) async throws -> QueueStep
    func command(_ uuid: String, of device: String) async throws -> QueuedCommand?
    /// A device's commands, oldest first.
    func commands(of device: String, _ page: PageRequest) async throws -> Outcome<Page<QueuedCommand>, AdminRefusal>
    /// Removes a command that was not sent, or the record of a finished one; one that was sent is retired.
    ///
    /// A retired command is not sent again. An answer that comes later is kept with it, and changes nothing else.
    func removeCommand(
        _ uuid: String, of device: String, author: String, now: Date
    ) async throws -> AdminRefusal?
}

extension CommandStore {
    /// The same for an administrator, the command's author.
    package func enqueue(
        _ command: QueuedCommand, for device: String
    ) async throws -> Outcome<QueuedCommand, AdminRefusal> {
        try await enqueue(command, for: device, by: .administrator(command.author))
    }
}
