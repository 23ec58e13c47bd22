package import Foundation

/// Work that takes longer than a request may. `GET /jobs/{id}`
package struct Job: Codable, Hashable, Sendable {
    package var id: String
    /// `audit.verification`, `group.devices` or `group.command`.
    package var kind: String
    package var author: String
    /// `waiting`, `running`, `done`, `failed` or `cancelled`.
    package var state: String
    package var done: Int
    /// All that there is to do, as far as that is known.
    package var total: Int
    /// How often another run of the server went on with it.
    package var resumed: Int
    package var created: Date
    package var started: Date?
    package var ended: Date?
    /// Why it failed.
    package var problem: String?
    /// What came of it, as its kind says.
    package var result: JSON?

    package init(
        id: String, kind: String, author: String, state: String, done: Int, total: Int, resumed: Int, created: Date,
        started: Date?, ended: Date?, problem: String?, result: JSON?
    ) {
        self.id = id
        self.kind = kind
        self.author = author
        self.state = state
        self.done = done
        self.total = total
        self.resumed = resumed
        self.created = created
        self.started = started
        self.ended = ended
        self.problem = problem
        self.result = result
    }

    /// Whether there is more to come.
    package var isOpen: Bool { state == "waiting" || state == "running" }
}

/// Has many devices put into a group. `POST /groups/{group}/devices`
package struct GroupDevicesRequest: Codable, Hashable, Sendable {
    package var devices: [String]
    /// Also where an app on a device would refuse what the group gives it.
    package var force: Bool?

    package init(devices: [String], force: Bool? = nil) {
        self.devices = devices
        self.force = force
    }
}

/// What came of a list of devices for a group.
package struct GroupDevicesResult: Codable, Hashable, Sendable {
    /// One device that was not put into the group.
    package struct Refusal: Codable, Hashable, Sendable {
        package var device: String
        package var reason: String

        package init(device: String, reason: String) {
            self.device = device
            self.reason = reason
        }
    }

    /// Those that were in it already count, too.
    package var inGroup: Int
    package var refused: Int
    /// The first hundred.
    package var refusals: [Refusal]
}

/// What came of a command for every device of a group. `POST /groups/{group}/commands`
package struct GroupCommandResult: Codable, Hashable, Sendable {
    /// The devices for which it was queued; what each answers is with its commands.
    package var queued: Int
    package var refused: Int
    /// The first ten.
    package var refusals: [GroupDevicesResult.Refusal]
    /// What there was to say of the command, a sentence each; nothing where there was nothing.
    package var warnings: [String]?

    package init(queued: Int, refused: Int, refusals: [GroupDevicesResult.Refusal], warnings: [String]?) {
        self.queued = queued
        self.refused = refused
        self.refusals = refusals
        self.warnings = warnings
    }
}
