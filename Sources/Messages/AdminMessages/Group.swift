/// A group of devices. `POST /groups` (the server says everything but name and rule), `GET /groups/{group}`
package struct Group: Codable, Hashable, Sendable {
    package var name: String
    package var deviceCount: Int?
    /// Which devices are in it, as people write it; nothing where they are put in and taken out by hand.
    package var rule: String?
    /// Not all devices are judged by the rule yet.
    package var judging: Bool?

    package init(name: String, deviceCount: Int? = nil, rule: String? = nil, judging: Bool? = nil) {
        self.name = name
        self.deviceCount = deviceCount
        self.rule = rule
        self.judging = judging
    }
}

/// The rule of a group. `GET /groups/{group}/rule`
package struct GroupRuleDetail: Codable, Hashable, Sendable {
    /// As people write it.
    package var rule: String
    /// The same, as programs read it.
    package var tree: JSON
    /// What it looks at of a device.
    package var facts: [String]
    /// Not all devices are judged by it yet.
    package var judging: Bool

    package init(rule: String, tree: JSON, facts: [String], judging: Bool) {
        self.rule = rule
        self.tree = tree
        self.facts = facts
        self.judging = judging
    }
}

/// Says which devices are in a group, by one of both: `PUT /groups/{group}/rule`.
package struct GroupRuleRequest: Codable, Hashable, Sendable {
    package var rule: String?
    package var tree: JSON?

    package init(rule: String? = nil, tree: JSON? = nil) {
        self.rule = rule
        self.tree = tree
    }
}

/// Asks which devices a rule would have in a group, by `rule` or `tree`: `POST /groups/preview`.
package struct GroupPreviewRequest: Codable, Hashable, Sendable {
    package var rule: String?
    package var tree: JSON?
    /// Nothing where the group is not there yet.
    package var group: String?
    /// How many devices are named at most of each kind, up to 100; 25 without it.
    package var limit: Int?
    /// The `next` of the part before; without it the first devices are judged.
    package var cursor: String?

    package init(
        rule: String? = nil, tree: JSON? = nil, group: String? = nil, limit: Int? = nil, cursor: String? = nil
    ) {
        self.rule = rule
        self.tree = tree
        self.group = group
        self.limit = limit
        self.cursor = cursor
    }
}

/// Which devices a rule would have in a group: of so many as are judged at once.
package struct GroupPreview: Codable, Hashable, Sendable {
    /// Some devices: how many, and the first of them, by ID.
    package struct Part: Codable, Hashable, Sendable {
        package var count: Int
        package var devices: [Device]

        package init(count: Int, devices: [Device]) {
            self.count = count
            self.devices = devices
        }

        fileprivate mutating func add(_ following: Part, naming most: Int) {
            count += following.count
            devices = Array((devices + following.devices).prefix(most))
        }
    }

    package struct Device: Codable, Hashable, Sendable {
        package var id: String
        package var name: String?
        package var serialNumber: String?

        package init(id: String, name: String? = nil, serialNumber: String? = nil) {
            self.id = id
            self.name = name
            self.serialNumber = serialNumber
        }
    }

    /// The rule as it would be kept.
    package var rule: String
    package var members: Part
    package var joining: Part
    package var leaving: Part
    /// How many devices were judged.
    package var judged: Int
    /// The `cursor` of the part that follows; without it these were the last.
    package var next: String?

    package init(rule: String, members: Part, joining: Part, leaving: Part, judged: Int, next: String? = nil) {
        self.rule = rule
        self.members = members
        self.joining = joining
        self.leaving = leaving
        self.judged = judged
        self.next = next
    }

    /// The parts of a preview as one, each asked for by the cursor that the one before ends with.
    ///
    /// No further part is asked for once `most` devices were judged; `next` says that there are more.
    package static func whole(
        of request: GroupPreviewRequest, upTo most: Int = .max,
        part: (GroupPreviewRequest) async throws -> GroupPreview
    ) async throws -> GroupPreview {
        var whole = try await part(request)
        while let next = whole.next, whole.judged < most {
            var request = request
            request.cursor = next
            whole.add(try await part(request), naming: request.limit ?? standardLimit)
        }
        return whole
    }

    /// How many devices are named of each kind where nothing else was asked for.
    package static let standardLimit = 25

    private mutating func add(_ following: GroupPreview, naming most: Int) {
        members.add(following.members, naming: most)
        joining.add(following.joining, naming: most)
        leaving.add(following.leaving, naming: most)
        judged += following.judged
        next = following.next
    }
}

/// That a device is in a group, and what there is to say about it. `PUT /devices/{id}/groups/{group}`
package struct Membership: Codable, Hashable, Sendable {
    package var device: String
    package var group: String
    /// A sentence each.
    package var warnings: [String]

    package init(device: String, group: String, warnings: [String] = []) {
        self.device = device
        self.group = group
        self.warnings = warnings
    }
}
