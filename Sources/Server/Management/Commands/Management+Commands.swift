import DeviceMessages
import Foundation
package import InputBounds

extension Management {
    /// Queues a command for a device and wakes it.
    ///
    /// `request` is the inner dictionary, with its RequestType.
    package func enqueue(
        _ request: PropertyListValue, for device: String, author: String
    ) async throws -> Outcome<QueuedCommand, AdminRefusal> {
        try await send(request, to: device, author: author).map(\.command)
    }

    /// The same, with what there is to say of what the command brings.
    ///
    /// What an app would refuse of a configuration in the command does not count where it `isForced`, and neither does that
    /// a value in it looks like a secret.
    package func send(
        _ request: PropertyListValue, to device: String, isForced: Bool = false, author: String
    ) async throws -> Outcome<SentCommand, AdminRefusal> {
        let requestType: String
        switch Self.sendableType(of: request) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let type): requestType = type
        }
        if let known = try await store.device(device),
            let refusal = CommandRule.of(requestType).refusal(of: requestType, to: known)
        {
            return .refused(refusal)
        }
        let judgement: AppCommandJudgement
        switch try await judgeAppCommand(request, for: device, isForced: isForced) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let said): judgement = said
        }
        let uuid = commandUUID()
        let document: Data
        do {
            document = try Command(uuid: uuid, request: request).encoded()
        } catch {
            return .refused(.invalid(rule: "The command cannot be written as a property list."))
        }
        guard document.count <= CommandLimits.documentBytes else {
            return .refused(.tooLarge(limit: CommandLimits.documentBytes))
        }
        if let refusal = Self.unreadable(document) { return .refused(refusal) }
        var command = QueuedCommand(
            uuid: uuid, requestType: requestType, document: document, state: .queued, deferred: false, author: author,
            created: moment, sent: nil, finished: nil, result: nil, resultTooLarge: false)
        command.suspectedSecrets = judgement.suspectedSecrets
        let outcome = try await store.enqueue(command, for: device)
        contexts.forget(device)
        if outcome.value != nil { wakeHub.wake(device) }
        let warnings = KnownCommand.warnings(of: requestType) + judgement.warnings
        return outcome.map { SentCommand(command: $0, warnings: warnings) }
    }

    package func command(_ uuid: String, of device: String) async throws -> QueuedCommand? {
        try await store.command(uuid, of: device)
    }

    package func commands(
        of device: String, _ page: PageRequest
    ) async throws -> Outcome<Page<QueuedCommand>, AdminRefusal> {
        try await store.commands(of: device, page)
    }

    /// Removes a command that was not sent, or the record of a finished one; one that was sent is retired.
    package func removeCommand(
        _ uuid: String, of device: String, author: String
    ) async throws -> AdminRefusal? {
        let refusal = try await store.removeCommand(uuid, of: device, author: author, now: moment)
        contexts.forget(device)
        return refusal
    }

    /// The type of a request that administrators may send as a command, or why they may not.
    static func sendableType(of request: PropertyListValue) -> Outcome<String, AdminRefusal> {
        guard let requestType = request["RequestType"]?.string, (1...128).contains(requestType.utf8.count) else {
            return .refused(.invalid(rule: "A command is a dictionary with a RequestType of 1 to 128 bytes."))
        }
        guard requestType != TryConfiguration.requestType else {
            return .refused(
                .invalid(
                    rule: """
                        A configuration is tried on one device by martlet configuration try, or over the API by \
                        POST /devices/{device}/apps/{app}/configuration-trials.
                        """))
        }
        return .accepted(requestType)
    }

    /// Why no device could read a command; nothing where each can.
    ///
    /// A device cannot name the command that it could not read: it would be sent that one forever, and no other.
    static func unreadable(_ document: Data) -> AdminRefusal? {
        do {
            _ = try Command(parsing: document)
            return nil
        } catch {
            return .invalid(rule: "No device can read this command, as \(error.rule). Make it smaller, or less deep.")
        }
    }

    func commandUUID() -> String { Self.uuid(of: random(16), version: 4) }

    /// The UUID of a version whose other bits are those of the first 16 bytes; there have to be so many.
    static func uuid(of bytes: some Sequence<UInt8>, version: UInt8) -> String {
        var bytes = Array(bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hexadecimal.text(bytes).uppercased()
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { text.dropFirst($0.0).prefix($0.1) }
        return parts.joined(separator: "-")
    }
}
