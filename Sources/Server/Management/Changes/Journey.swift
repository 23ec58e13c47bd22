/// A change on its way to devices: how many it concerns, and how far each is.
package struct Journey: Sendable, Equatable {
    package let change: Change
    /// The groups whose devices it concerns.
    package let groups: [String]
    /// Where apps find the secret that it gives; none where it gives no secret.
    package let slots: [SecretSlot]
    /// How many devices these had when it began or when one last came, left or was moved by a rule, or have fetched it since
    /// if that is more.
    package internal(set) var devices: Int
    /// That fetched what they are given since.
    package internal(set) var fetched = 0
    /// That held exactly what they were given, and said so; none from which what it gives was withheld then, and none on
    /// which an app lacks the secret that it gives.
    package internal(set) var settled = 0
    /// On which the app refuses this version of the configuration; 0 for what is no configuration.
    package internal(set) var refused = 0

    package init(_ change: Change, groups: [String], slots: [SecretSlot] = [], devices: Int) {
        self.change = change
        self.groups = groups
        self.slots = slots
        self.devices = devices
    }
}

/// The last changes on their way, since the server began: kept in memory alone, as small as a few bits for each device.
package struct Journeys: Sendable {
    /// Journeys that are followed at once.
    package static let most = 8
    /// The most devices that are followed at once; the acts of others are not counted.
    package static let mostDevices = 131_072

    /// Some of the devices, by their numbers.
    fileprivate struct Devices {
        private var words: [UInt64] = []

        /// Whether it was not there.
        mutating func insert(_ number: Int) -> Bool {
            while words.count <= number / 64 { words.append(0) }
            let bit = UInt64(1) << UInt64(number % 64)
            defer { words[number / 64] |= bit }
            return words[number / 64] & bit == 0
        }

        func contains(_ number: Int) -> Bool {
            number / 64 < words.count && words[number / 64] & UInt64(1) << UInt64(number % 64) != 0
        }

        /// Whether it was there.
        mutating func remove(_ number: Int) -> Bool {
            guard number / 64 < words.count else { return false }
            let bit = UInt64(1) << UInt64(number % 64)
            defer { words[number / 64] &= ~bit }
            return words[number / 64] & bit != 0
        }
    }

    fileprivate struct Followed {
        var journey: Journey
        /// What had been told when it began.
        let place: Int
        let groups: Set<String>
        var fetched = Devices()
        var settled = Devices()
        var refused = Devices()
        /// On which an app lacks the secret that the change gives: these do not count as settled.
        var lacking = Devices()

        /// Whether it is known of a device that it did something.
        func knows(_ number: Int) -> Bool {
            fetched.contains(number) || settled.contains(number) || refused.contains(number)
                || lacking.contains(number)
        }
    }

    private let capacity: Int
    private var followed: [Followed] = []
    private var numbers: [String: Int] = [:]
    /// Numbers of devices that were forgotten.
    private var free: [Int] = []
    /// Whether a journey ended since devices were last forgotten: else there are none to forget.
    private var hasEnded = false

    package init(devices: Int = Journeys.mostDevices) { capacity = devices }

    /// The newest first.
    package var all: [Journey] { followed.map(\.journey) }

    /// Whether a change of this kind changes what devices are given by their groups.
    package static func begins(with kind: String) -> Bool { starts.contains(kind) }

    private static let starts = Set(
        [
            .setConfiguration, .revertConfiguration, .setAssignment, .removeAssignment, .setSecret, .assignSecret,
            .unassignSecret, .setAppSource, .removeAppSource, .setSetting, .assignSetting, .unassignSetting,
        ].map(\AuditEntry.Action.rawValue))

    /// Follows a change from now on; an older one of the same thing is not under way any more.
    package mutating func begin(_ journey: Journey, at place: Int) {
        let before = followed.count
        followed.removeAll { $0.journey.change.isOfSameThing(as: journey.change) }
        if followed.count == Self.most { followed.removeLast() }
        if followed.count < before { hasEnded = true }
        followed.insert(Followed(journey: journey, place: place, groups: Set(journey.groups)), at: 0)
    }

    /// Whether a change of this kind takes a thing away.
    package static func ends(with kind: String) -> Bool { removals.contains(kind) }

    private static let removals = Set(
        [.removeConfiguration, .removeSecret, .removeSetting, .removeApp, .removeGroup]
            .map(\AuditEntry.Action.rawValue))

    /// Whether a change of this kind takes a device from groups.
    package static func leaves(with kind: String) -> Bool { departures.contains(kind) }

    private static let departures = Set(
        [.withdrawDevice, .checkOutDevice, .removeDeviceFromGroup].map(\AuditEntry.Action.rawValue))

    /// Takes in that a thing was taken away: what was changed of it is on its way no more.
    package mutating func end(_ removal: Change) {
        let before = followed.count
        followed.removeAll { $0.isOf(removal) }
        if followed.count < before { hasEnded = true }
    }

    /// Whether a change of this kind brings a device to groups.
    package static func joins(with kind: String) -> Bool { arrivals.contains(kind) }

    private static let arrivals = Set(
        [.enrollDevice, .readmitDevice, .replaceDevice, .addDeviceToGroup].map(\AuditEntry.Action.rawValue))

    /// Takes in that a device left groups: where it is in none that a change concerns, it does not count.
    package mutating func leave(_ departure: Change) {
        guard let number = departure.device.flatMap({ numbers[$0] }) else { return }
        for index in followed.indices where followed[index].groups.isDisjoint(with: departure.deviceGroups) {
            followed[index].forget(number)
        }
        hasEnded = true
    }

    /// Takes in how many devices these groups have by now.
    package mutating func recount(_ devices: Int, in groups: [String]) {
        for index in followed.indices where followed[index].journey.groups == groups {
            followed[index].journey.devices = max(devices, followed[index].journey.fetched)
        }
    }

    /// Whether what a device of these groups did may bring a change further that is followed.
    func follows(_ kind: String, in groups: [String]) -> Bool {
        guard let kind = Change.DeviceKind(rawValue: kind), kind != .report else { return false }
        // A device that was moved has left groups that are not among these.
        return kind == .move ? !followed.isEmpty : followed.contains { !$0.groups.isDisjoint(with: groups) }
    }

    /// Whether what a device did may bring a change further that is followed.
    func follows(_ change: Change) -> Bool {
        guard change.lackedSecrets == nil || change.kind != Change.DeviceKind.report.rawValue else {
            return followsSecrets(in: change.deviceGroups)
        }
        return follows(change.kind, in: change.deviceGroups)
    }

    /// Whether a change that gives a secret in any of these groups is followed.
    func followsSecrets(in groups: [String]) -> Bool {
        followed.contains { !$0.journey.slots.isEmpty && !$0.groups.isDisjoint(with: groups) }
    }

    /// Takes in what a device did.
    package mutating func follow(_ change: Change) {
        guard let kind = Change.DeviceKind(rawValue: change.kind), let device = change.device,
            kind != .report || change.lackedSecrets != nil
        else { return }
        if kind == .move { return leave(change) }
        let concerned = followed.indices.filter {
            !followed[$0].groups.isDisjoint(with: change.deviceGroups)
                && (kind != .report || !followed[$0].journey.slots.isEmpty)
        }
        guard !concerned.isEmpty, let number = number(device) else { return }
        for index in concerned {
            switch kind {
            // A fetch before the announcement may be of the former set.
            case .fetch where (change.place ?? 0) >= followed[index].place: followed[index].fetch(number)
            case .settle:
                // A device that holds it has fetched it, even if the fetch was not noticed.
                followed[index].fetch(number)
                followed[index].lack(number, by: change)
                followed[index].settle(number, by: change)
            case .report: followed[index].lack(number, by: change)
            case .refuse where followed[index].isRefused(by: change):
                if followed[index].refused.insert(number) { followed[index].journey.refused += 1 }
            case .accept where followed[index].isOfConfiguration(of: change):
                if followed[index].refused.remove(number) { followed[index].journey.refused -= 1 }
            case .fetch, .refuse, .accept, .move: break
            }
        }
    }

    private mutating func number(_ device: String) -> Int? {
        if let number = numbers[device] { return number }
        if numbers.count >= capacity { forget() }
        guard numbers.count < capacity else { return nil }
        // Those in use and those that are free are all from zero on.
        let number = free.popLast() ?? numbers.count
        numbers[device] = number
        return number
    }

    /// Forgets the devices of which no journey that is followed knows anything.
    private mutating func forget() {
        guard hasEnded else { return }
        hasEnded = false
        for (device, number) in numbers where !followed.contains(where: { $0.knows(number) }) {
            numbers[device] = nil
            free.append(number)
        }
    }
}

extension Journeys.Followed {
    fileprivate mutating func fetch(_ number: Int) {
        if fetched.insert(number) { journey.fetched += 1 }
        // Devices that came after the change began are concerned by it, too.
        journey.devices = max(journey.devices, journey.fetched)
    }

    /// Counts a device that holds all that it is given, unless what the change gives is withheld from it.
    ///
    /// It counts from then on: what a later change has withheld is not this one's.
    fileprivate mutating func settle(_ number: Int, by change: Change) {
        guard !change.withholds(journey.change) else { return }
        if settled.insert(number), !lacking.contains(number) { journey.settled += 1 }
    }

    /// Takes in whether an app on a device lacks the secret that the change gives.
    ///
    /// A device may hold all that it is given, and give an app none of it, because it trusts the app too little.
    fileprivate mutating func lack(_ number: Int, by change: Change) {
        guard let lacked = change.lackedSecrets else { return }
        let isLacked = journey.slots.contains {
            change.deviceGroups.contains($0.group) && lacked.includes($0.identifier, of: $0.app)
        }
        guard isLacked ? lacking.insert(number) : lacking.remove(number), settled.contains(number) else { return }
        journey.settled += isLacked ? -1 : 1
    }

    /// Takes back what a device did.
    fileprivate mutating func forget(_ number: Int) {
        if fetched.remove(number) { journey.fetched -= 1 }
        let isLacked = lacking.remove(number)
        if settled.remove(number), !isLacked { journey.settled -= 1 }
        if refused.remove(number) { journey.refused -= 1 }
    }

    /// Whether it was about nothing but what was taken away.
    fileprivate func isOf(_ removal: Change) -> Bool {
        let change = journey.change
        switch AuditEntry.Action(rawValue: removal.kind) {
        case .removeConfiguration:
            return change.kind.hasPrefix("configuration.") && change.app == removal.app && change.name == removal.name
        // What is taken from devices is still on its way.
        case .removeSecret: return change.kind == AuditEntry.Action.setSecret.rawValue && change.name == removal.name
        case .removeSetting: return change.kind == AuditEntry.Action.setSetting.rawValue && change.name == removal.name
        case .removeApp: return removal.app != nil && change.app == removal.app
        case .removeGroup: return removal.group.map { journey.groups == [$0] } ?? false
        default: return false
        }
    }

    /// Of the same configuration, and of the same version where the app says which.
    fileprivate func isRefused(by refusal: Change) -> Bool {
        isOfConfiguration(of: refusal) && (refusal.version == nil || refusal.version == journey.change.version)
    }

    /// Whether it changes the configuration that the app refused or accepted: an app refuses nothing else.
    fileprivate func isOfConfiguration(of refusal: Change) -> Bool {
        let change = journey.change
        return change.kind.hasPrefix("configuration.") && change.app == refusal.app && change.name == refusal.name
    }
}

extension Change {
    /// Whether both are about the same configuration, assignment or secret.
    fileprivate func isOfSameThing(as other: Change) -> Bool {
        kind.prefix { $0 != "." } == other.kind.prefix { $0 != "." } && app == other.app && group == other.group
            && (app != nil && group != nil || name == other.name)
    }
}
