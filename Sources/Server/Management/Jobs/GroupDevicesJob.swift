import Foundation
import InputBounds

/// Many devices for a group.
struct GroupDevices: Sendable {
    /// How many at most.
    static let most = 5_000
    /// The most refusals that are listed one by one; the others are counted.
    static let mostTold = 100

    let group: String
    let devices: [String]
    let isForced: Bool

    init(group: String, devices: [String], isForced: Bool) throws(AdminRefusal) {
        guard (1...Self.most).contains(devices.count), Set(devices).count == devices.count,
            devices.allSatisfy({ (1...255).contains($0.utf8.count) })
        else {
            throw .invalid(rule: "A list has 1 to \(Self.most) devices, each once, named by 1 to 255 bytes.")
        }
        (self.group, self.devices, self.isForced) = (group, devices, isForced)
    }

    init?(_ json: JSONValue) {
        guard let group = json["group"]?.string, let devices = json["devices"]?.array else { return nil }
        (self.group, self.devices) = (group, devices.compactMap(\.string))
        isForced = json["force"] == .boolean(true)
    }

    var json: JSONValue {
        .object([
            "group": .string(group), "devices": .array(devices.map(JSONValue.string)), "force": .boolean(isForced),
        ])
    }

    /// Where the job is, and what came of the devices before.
    struct Place: Codable {
        struct Refused: Codable {
            let device: String
            let reason: String
        }

        var next = 0
        var inGroup = 0
        var refused = 0
        var told: [Refused] = []

        mutating func add(_ device: String, _ refusal: AdminRefusal?) {
            next += 1
            guard let refusal else {
                inGroup += 1
                return
            }
            refused += 1
            if told.count < GroupDevices.mostTold { told.append(Refused(device: device, reason: refusal.reason)) }
        }

        var result: JSONValue {
            .object([
                "inGroup": .integer(Int64(inGroup)), "refused": .integer(Int64(refused)),
                "refusals": .array(
                    told.map { .object(["device": .string($0.device), "reason": .string($0.reason)]) }),
            ])
        }
    }
}

extension Management {
    private static let part = 50

    /// Puts the next devices into the group.
    ///
    /// One that is in it already stays there, so that a part may be done twice.
    func addPart(of job: Job) async throws -> JobStep {
        guard let wish = GroupDevices(job.request) else {
            return .failed("It asks for what this server does not know.")
        }
        var place =
            try job.place.map { try JSONDecoder().decode(GroupDevices.Place.self, from: $0) }
            ?? GroupDevices.Place()
        for device in wish.devices.dropFirst(place.next).prefix(Self.part) {
            if try await store.device(device)?.groups.contains(wish.group) == true {
                place.add(device, nil)
                continue
            }
            let outcome = try await addDevice(
                device, toGroup: wish.group, isForced: wish.isForced, author: job.author)
            place.add(device, outcome.refusal)
        }
        let progress = JobProgress(done: place.next, total: wish.devices.count)
        if place.next == wish.devices.count { return .done(progress, result: place.result) }
        return .part(progress, place: try JSONEncoder().encode(place))
    }
}
