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
        guard let requestType = request["RequestType"]?.string, (1...128).contains(requestType.utf8.count) else {
            return .refused(.invalid(rule: "A command is a dictionary with a RequestType of 1 to 128 bytes."))
        }
        guard requestType != TryConfiguration.requestType else {
            return .refused(
                .invalid(rule: "A configuration is tried by POST /devices/{device}/apps/{app}/configuration-trials."))
        }
        if let ownership = try await store.device(device)?.ownership,
            let refusal = CommandRule.of(requestType).refusal(of: requestType, on: ownership)
        {
            return .refused(refusal)
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
        let command = QueuedCommand(
            uuid: uuid, requestType: requestType, document: document, state: .queued, deferred: false, author: author,
            created: moment, sent: nil, finished: nil, result: nil, resultTooLarge: false)
        let outcome = try await store.enqueue(command, for: device)
        contexts.forget(device)
        if outcome.value != nil { wakeHub.wake(device) }
        return outcome
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

    func commandUUID() -> String {
        var bytes = Array(random(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hexadecimal.text(bytes).uppercased()
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { text.dropFirst($0.0).prefix($0.1) }
        return parts.joined(separator: "-")
    }
}
