/// Where the assignments of an app are to be, on the way from a defaults dictionary to the framework.
package enum MigrationGoal: String, Codable, Sendable, CaseIterable {
    /// Both ways: an app that reads the dictionary keeps it, and one that reads by the framework has it already.
    case start
    /// By the framework alone.
    case finish
    /// As the dictionary alone, as before.
    case back

    package var delivery: Delivery {
        switch self {
        case .start: .both
        case .finish: .framework
        case .back: .defaults
        }
    }

    /// What comes next for an app with these assignments; nothing where none of them delivers a dictionary.
    package static func next(after assignments: [Assignment]) -> MigrationGoal? {
        let deliveries = assignments.filter { $0.configuration != nil }.map(\.delivery)
        if deliveries.contains(Delivery.defaults.rawValue) { return .start }
        return deliveries.contains(Delivery.both.rawValue) ? .finish : nil
    }
}

/// What is left to do until the assignments of an app are where they are to be.
///
/// The assignments alone say how far a migration is: a plan that was carried out in part, and is made again, goes on
/// where the one before was stopped.
package struct MigrationPlan: Codable, Hashable, Sendable {
    /// What to do with one assignment.
    package enum Verdict: Hashable, Sendable {
        case change(from: Delivery, to: Delivery)
        case isThere
        /// Nothing may be done with it; the reason is for people.
        case leftOut(String)
    }

    /// A change of the delivery for one group.
    package struct Step: Codable, Hashable, Sendable {
        package var group: String
        package var from: Delivery
        package var to: Delivery

        package init(group: String, from: Delivery, to: Delivery) {
            (self.group, self.from, self.to) = (group, from, to)
        }
    }

    /// A group whose assignment stays as it is, and why.
    package struct LeftOut: Codable, Hashable, Sendable {
        package var group: String
        package var reason: String

        package init(group: String, reason: String) { (self.group, self.reason) = (group, reason) }
    }

    /// In the order of the groups' names, the same each time.
    package private(set) var steps: [Step] = []
    /// The groups that are where they are to be, or beyond.
    package private(set) var done: [String] = []
    package private(set) var leftOut: [LeftOut] = []

    /// - Parameters:
    ///   - assignments: All of the app.
    ///   - goal: Where they are to be.
    ///   - groups: The groups that the administrator named; nothing for all.
    package init(_ assignments: [Assignment], to goal: MigrationGoal, groups: Set<String>? = nil) {
        for assignment in assignments.sorted(by: { $0.group < $1.group }) {
            guard groups?.contains(assignment.group) ?? true else { continue }
            switch Self.verdict(on: assignment, to: goal, isNamed: groups != nil) {
            case .change(let from, let to): steps.append(Step(group: assignment.group, from: from, to: to))
            case .isThere: done.append(assignment.group)
            case .leftOut(let reason): leftOut.append(LeftOut(group: assignment.group, reason: reason))
            }
        }
    }

    /// What is to be done with one assignment, as it stands now.
    ///
    /// - Parameters:
    ///   - assignment: The assignment.
    ///   - goal: Where it is to be.
    ///   - isNamed: The administrator named its group. Of others it is not known whether the framework was there before.
    /// - Returns: A change, or why there is none.
    package static func verdict(on assignment: Assignment, to goal: MigrationGoal, isNamed: Bool) -> Verdict {
        guard assignment.configuration != nil else { return .leftOut("it gives the app no configuration") }
        let word = assignment.delivery ?? Delivery.framework.rawValue
        guard let delivery = Delivery(rawValue: word) else {
            return .leftOut("its delivery is a word that this tool does not know")
        }
        switch (goal, delivery) {
        case (.start, .defaults), (.finish, .both), (.back, .both):
            return .change(from: delivery, to: goal.delivery)
        case (.start, .both), (.start, .framework), (.finish, .framework), (.back, .defaults): return .isThere
        case (.finish, .defaults): return .leftOut("its devices never had it both ways; start first")
        case (.back, .framework):
            return isNamed
                ? .change(from: delivery, to: goal.delivery)
                : .leftOut("it is by the framework alone; name the group to take it back")
        }
    }
}

/// How the devices of a group fare while they have a configuration both ways.
package struct MigrationReadiness: Codable, Hashable, Sendable {
    /// Devices on which the app decoded the framework's configuration.
    package private(set) var decoded = 0
    /// Those on which it refuses it, by their IDs.
    package private(set) var refused: [String] = []
    /// Those that report the app, which has not read it yet.
    package private(set) var unread: [String] = []
    /// Devices whose last report is about an older configuration, or about one that they could not apply.
    ///
    /// Such a report does not show whether the app can decode the present configuration.
    package private(set) var behind: [String] = []
    /// Those that do not report the app as managed.
    package private(set) var unreported = 0
    /// Those whose app another group's assignment gives, or a command.
    package private(set) var elsewhere = 0

    package init() {}

    /// Counts a device with what it reported of the app; nothing where it has none.
    ///
    /// - Parameters:
    ///   - app: The app, with what is assigned and what was reported.
    ///   - device: The device's ID.
    ///   - isSynchronised: Whether the device reported on all of its present declarations. This decides where the
    ///     server does not state whether the app is current.
    package mutating func count(_ app: DeviceApp?, on device: String, isSynchronised: Bool) {
        guard let app else { return unreported += 1 }
        guard !app.isManagedByCommand, app.delivery == Delivery.both.rawValue else { return elsewhere += 1 }
        guard app.state == "managed" else { return unreported += 1 }
        guard app.isCurrent ?? isSynchronised else { return behind.append(device) }
        switch app.configState {
        case "valid": decoded += 1
        case "invalid": refused.append(device)
        default: unread.append(device)
        }
    }

    /// Whether all devices that report the app run it with the framework's present configuration.
    ///
    /// It is false where there are devices and none reports the app.
    package var isReady: Bool {
        refused.isEmpty && unread.isEmpty && behind.isEmpty && (decoded > 0 || unreported == 0)
    }
}

/// On which devices a configuration is tried before a fleet gets it.
package enum MigrationSample {
    /// So many of the devices, or all where there are fewer: the same for the same devices and the same random source.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - devices: IDs, in any order; one that is there twice counts once.
    ///   - random: What chooses.
    /// - Returns: IDs, in the order in which they were chosen.
    package static func choose(
        _ count: Int, of devices: [String], using random: inout some RandomNumberGenerator
    ) -> [String] {
        Array(Set(devices).sorted().shuffled(using: &random).prefix(max(0, count)))
    }
}
