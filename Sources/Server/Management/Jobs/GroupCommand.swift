import Crypto
import DeviceMessages
import Foundation
import InputBounds

/// One command for every device of a group, as a job queues it.
struct GroupCommand: Sendable, Equatable {
    /// How many devices a second the job may get to.
    static let allowedPerSecond = 1...1_000
    static let usualPerSecond = 50
    /// The devices of one part of the job, which are one transaction of some milliseconds.
    static let mostOfPart = 50
    /// A command's bound where it is kept for each device of many.
    static let requestBytes = 131_072
    /// The most refusals that are listed one by one; the others are counted.
    static let mostTold = 10

    let group: String
    let requestType: String
    /// The inner dictionary of the command, its RequestType included.
    let request: PropertyListValue
    /// At most so many devices a second.
    let perSecond: Int
    /// What there was to say of the command when it was asked for, a sentence each.
    let warnings: [String]
    /// Keys of configurations in it whose values look like secrets, for the audit log.
    let suspectedSecrets: [String]

    /// A wish within the bounds; without `perSecond` it has the usual number.
    init(
        group: String, requestType: String, request: PropertyListValue, perSecond: Int?, warnings: [String],
        suspectedSecrets: [String] = []
    ) throws(AdminRefusal) {
        let perSecond = perSecond ?? Self.usualPerSecond
        guard Self.allowedPerSecond.contains(perSecond) else {
            let allowed = Self.allowedPerSecond
            throw .invalid(
                rule: "A command goes to \(allowed.lowerBound) to \(allowed.upperBound) devices a second (perSecond).")
        }
        guard request.xml().count <= Self.requestBytes else { throw .tooLarge(limit: Self.requestBytes) }
        let document = try? Command(uuid: Self.uuid(of: "", for: ""), request: request).encoded()
        if let refusal = document.flatMap(Management.unreadable) { throw refusal }
        self.group = group
        self.requestType = requestType
        self.request = request
        self.perSecond = perSecond
        self.warnings = warnings
        self.suspectedSecrets = suspectedSecrets
    }

    /// Reads what `json` wrote.
    init?(_ json: JSONValue) {
        guard let group = json["group"]?.string, let requestType = json["requestType"]?.string,
            let perSecond = json["perSecond"]?.int, Self.allowedPerSecond.contains(perSecond),
            let bytes = json["request"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let request = try? PropertyListValue(parsing: bytes, limits: .message)
        else { return nil }
        self.group = group
        self.requestType = requestType
        self.request = request
        self.perSecond = perSecond
        warnings = json["warnings"]?.array?.compactMap(\.string) ?? []
        suspectedSecrets = json["suspectedSecrets"]?.array?.compactMap(\.string) ?? []
    }

    /// As the job keeps it: a property list has types that JSON has not.
    var json: JSONValue {
        .object([
            "group": .string(group), "requestType": .string(requestType), "perSecond": .integer(Int64(perSecond)),
            "request": .string(request.xml().base64EncodedString()),
            "warnings": .array(warnings.map(JSONValue.string)),
            "suspectedSecrets": .array(suspectedSecrets.map(JSONValue.string)),
        ])
    }

    /// What it asks of an administrator, by the request that a job keeps.
    static func permission(of request: JSONValue) -> Permission {
        CommandRule.of(request["requestType"]?.string ?? "").permission
    }

    /// How many devices the next part of the job has: none that would have to wait for a second to pass.
    var part: Int { min(Self.mostOfPart, perSecond) }

    /// Seconds from the beginning of a part with so many devices to the next one at the earliest, by the request that a
    /// job keeps.
    static func pause(after devices: Int, of request: JSONValue) -> TimeInterval {
        guard let perSecond = request["perSecond"]?.int, perSecond > 0 else { return 0 }
        return TimeInterval(devices) / TimeInterval(perSecond)
    }

    /// What a member of the group gets, or why it gets none; nothing for one that left the management.
    func command(for device: Device, of job: Job, at moment: Date) -> Outcome<QueuedCommand, AdminRefusal>? {
        guard device.state == .pending || device.state == .enrolled else { return nil }
        if let refusal = CommandRule.of(requestType).refusal(of: requestType, to: device) {
            return .refused(refusal)
        }
        let uuid = Self.uuid(of: job.id, for: device.id)
        guard let document = try? Command(uuid: uuid, request: request).encoded() else {
            return .refused(.invalid(rule: "The command cannot be written as a property list."))
        }
        var command = QueuedCommand(
            uuid: uuid, requestType: requestType, document: document, state: .queued, deferred: false,
            author: job.author, created: moment, sent: nil, finished: nil, result: nil, resultTooLarge: false)
        command.suspectedSecrets = suspectedSecrets
        return .accepted(command)
    }

    /// The command's UUID, the same whenever the job comes to the device: a part that is done again queues nothing twice.
    ///
    /// Of version 8, whose bits are the maker's own: here of a SHA-256 over both names.
    static func uuid(of job: String, for device: String) -> String {
        Management.uuid(of: SHA256.hash(data: Data("martlet group command\0\(job)\0\(device)".utf8)), version: 8)
    }

    /// Where the job is, and what came of the devices before.
    struct Place: Codable, Equatable {
        struct Refused: Codable, Equatable {
            let device: String
            let reason: String
        }

        /// The last device that the job came to, in the order of their IDs.
        var after: String?
        var queued = 0
        var refused = 0
        var told: [Refused] = []

        var done: Int { queued + refused }

        mutating func add(_ device: String, _ refusal: AdminRefusal?) {
            guard let refusal else {
                queued += 1
                return
            }
            refused += 1
            if told.count < GroupCommand.mostTold { told.append(Refused(device: device, reason: refusal.reason)) }
        }

        /// What came of it, as the API tells it.
        func result(_ warnings: [String]) -> JSONValue {
            var members: [String: JSONValue] = [
                "queued": .integer(Int64(queued)), "refused": .integer(Int64(refused)),
                "refusals": .array(
                    told.map { .object(["device": .string($0.device), "reason": .string($0.reason)]) }),
            ]
            if !warnings.isEmpty { members["warnings"] = .array(warnings.map(JSONValue.string)) }
            return .object(members)
        }
    }
}
