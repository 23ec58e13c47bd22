package import DeviceMessages
package import Foundation

/// An app that the devices of a group run, with one of its configurations or none.
///
/// When several groups of one device assign the same app, the one with the highest priority counts, and of several with
/// the same the one made last.
package struct Assignment: Sendable, Equatable {
    /// From the least to the most.
    package static let priorities = -1_000...1_000

    package let group: String
    package let app: String
    package let configuration: String?
    /// The app's configurations that its extensions get, by their bundle identifiers.
    package let extensions: [String: String]
    /// How far a device must trust the app before it gives it a secret.
    package let lowestTrust: AppTrust
    /// Whether devices must have the app or their users may; nothing leaves it to the source.
    package let install: AppSource.Install?
    package let priority: Int
    /// As what the app gets its configuration; its extensions get theirs by the framework in any case.
    package let delivery: Delivery
    package let assigned: Date
    /// Grows with every assignment made: the order that decides where the priority does not.
    package let order: Int

    package init(
        group: String, app: String, configuration: String?, extensions: [String: String] = [:],
        lowestTrust: AppTrust = .launched, install: AppSource.Install? = nil, priority: Int = 0,
        delivery: Delivery = .framework, assigned: Date, order: Int
    ) {
        self.group = group
        self.app = app
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
        self.assigned = assigned
        self.order = order
    }

    // As many as a package may have.
    private static let mostExtensions = 32

    /// What no assignment may say, whatever is there.
    var brokenRule: AdminRefusal? {
        guard Self.priorities.contains(priority) else {
            let (least, most) = (Self.priorities.lowerBound, Self.priorities.upperBound)
            return .invalid(rule: "A priority is a whole number from \(least) to \(most).")
        }
        guard extensions.count <= Self.mostExtensions else {
            return .invalid(rule: "An app has at most \(Self.mostExtensions) extensions.")
        }
        guard extensions.keys.allSatisfy({ App.isReverseDNS($0) && $0.hasPrefix(app + ".") }) else {
            return .invalid(rule: "An extension is named by its bundle identifier, beginning with the app's and a dot.")
        }
        return nil
    }

    /// What decides between several: the greatest counts.
    package var rank: AssignmentRank { AssignmentRank(priority: priority, order: order) }
}

/// What decides between several assignments of one app: the priority, and where that does not, which was made last.
package struct AssignmentRank: Sendable, Hashable, Comparable {
    package let priority: Int
    package let order: Int

    package init(priority: Int, order: Int) {
        self.priority = priority
        self.order = order
    }

    package static func < (left: AssignmentRank, right: AssignmentRank) -> Bool {
        (left.priority, left.order) < (right.priority, right.order)
    }
}

/// What an administrator says with an assignment.
package struct AssignmentWish: Sendable {
    package let group: String
    package let app: String
    package let configuration: String?
    package let extensions: [String: String]
    package let lowestTrust: AppTrust
    package let install: AppSource.Install?
    package let priority: Int
    package let delivery: Assignment.Delivery
    package let expected: ExpectedAssignment
    /// Whether one that is replaced hands down when it was made, and its place in the order.
    package let keepsPlace: Bool
    /// Keys of what it delivers as a defaults dictionary whose values look like secrets, for the audit log.
    package var suspectedSecrets: [String] = []

    package init(
        group: String, app: String, configuration: String?, extensions: [String: String] = [:],
        lowestTrust: AppTrust = .launched, install: AppSource.Install? = nil, priority: Int = 0,
        delivery: Assignment.Delivery = .framework, expected: ExpectedAssignment = .any, keepsPlace: Bool = false
    ) {
        self.expected = expected
        self.keepsPlace = keepsPlace
        self.group = group
        self.app = app
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
    }

    /// Says what an assignment says.
    init(_ wanted: Assignment, expected: ExpectedAssignment, keepsPlace: Bool) {
        self.init(
            group: wanted.group, app: wanted.app, configuration: wanted.configuration, extensions: wanted.extensions,
            lowestTrust: wanted.lowestTrust, install: wanted.install, priority: wanted.priority,
            delivery: wanted.delivery, expected: expected, keepsPlace: keepsPlace)
    }
}

/// Which assignment an administrator believes to be there.
package enum ExpectedAssignment: Sendable, Equatable {
    case any
    case absent
    case present(Assignment)

    /// Whether the belief holds.
    package func holds(for current: Assignment?) -> Bool {
        switch self {
        case .any: true
        case .absent: current == nil
        case .present(let assignment): current == assignment
        }
    }
}

/// What came of assigning.
package struct MadeAssignment: Sendable, Equatable {
    package let assignment: Assignment
    package let warnings: [String]
    /// What of it is another than before; nothing where there was none, or where it was replaced as a whole.
    package var changed: [AssignmentMember]?
}

/// One of the assignments of an app to a device's groups, with the present versions of what it gives.
package struct AssignmentCandidate: Sendable, Equatable {
    package let assignment: Assignment
    package let version: Int?
    /// Of the configurations of extensions, by the extensions' bundle identifiers.
    package let extensionVersions: [String: Int]

    package init(assignment: Assignment, version: Int?, extensionVersions: [String: Int] = [:]) {
        self.assignment = assignment
        self.version = version
        self.extensionVersions = extensionVersions
    }
}

/// Which assignments are asked for.
package struct AssignmentFilter: Sendable {
    package let group: String?
    package let app: String?

    package init(group: String? = nil, app: String? = nil) {
        self.group = group
        self.app = app
    }
}
