package import InputBounds

/// What became of devices that were judged by the rules of groups.
package struct GroupMoves: Sendable, Equatable {
    /// Those that are in other groups now, with these.
    package var devices: [ConcernedDevice]
    /// Groups whose manifests have to look at single devices from now on, because one lost a secret of theirs.
    package var lost: [String]

    package init(devices: [ConcernedDevice] = [], lost: [String] = []) {
        self.devices = devices
        self.lost = lost
    }

    package mutating func add(_ other: GroupMoves) {
        devices += other.devices
        lost += other.lost
    }
}

/// What follows from a report.
package struct ReportConsequences: Sendable, Equatable {
    /// The device runs something else than was known.
    package var isAudienceNew: Bool
    package var moves: GroupMoves
    /// Refusals that stand since now, and those that stand no more.
    package var refusals: [RefusalChange]
    /// The items that the report changed, as they are kept now; none of a report that was there already.
    package var merged: [String: JSONValue]
    /// Whether commands were queued that send configurations to the device's apps again.
    package var isConfigurationResent: Bool

    package init(
        isAudienceNew: Bool = false, moves: GroupMoves = GroupMoves(), refusals: [RefusalChange] = [],
        merged: [String: JSONValue] = [:], isConfigurationResent: Bool = false
    ) {
        self.isConfigurationResent = isConfigurationResent
        self.merged = merged
        self.isAudienceNew = isAudienceNew
        self.moves = moves
        self.refusals = refusals
    }
}

/// That an app on a device refuses its configuration from now on, or does no more.
package struct RefusalChange: Sendable, Equatable {
    package let app: String
    /// What is refused, where that is known.
    package let configuration: String?
    package let version: Int?
    package let stands: Bool

    package init(app: String, configuration: String?, version: Int?, stands: Bool) {
        self.app = app
        self.configuration = configuration
        self.version = version
        self.stands = stands
    }
}

/// A device that a rule is tried on.
package struct RuleCandidate: Sendable, Equatable {
    package let key: String
    /// Nothing of one that no rule judges: it left, or is a user's channel.
    package let facts: RuleFacts?
    package let isMember: Bool

    package init(key: String, facts: RuleFacts?, isMember: Bool) {
        self.key = key
        self.facts = facts
        self.isMember = isMember
    }
}

/// Which devices a rule would have in a group.
package struct GroupPreview: Sendable, Equatable {
    /// How many, and the first of them, by ID.
    package struct Part: Sendable, Equatable {
        package private(set) var count = 0
        package private(set) var first: [String] = []

        mutating func add(_ key: String, first most: Int) {
            count += 1
            if first.count < most { first.append(key) }
        }
    }

    package private(set) var members = Part()
    package private(set) var joining = Part()
    package private(set) var leaving = Part()
    package private(set) var judged = 0
    /// Behind this key there are more devices.
    package internal(set) var next: String?
    /// What the devices that are shown say of themselves.
    package internal(set) var names: [String: DeviceFacts] = [:]

    mutating func add(_ key: String, isMember: Bool, matches: Bool, first: Int) {
        judged += 1
        if matches { members.add(key, first: first) }
        if matches, !isMember { joining.add(key, first: first) }
        if !matches, isMember { leaving.add(key, first: first) }
    }

    var shown: [String] { Array(Set(members.first + joining.first + leaving.first)) }
}
