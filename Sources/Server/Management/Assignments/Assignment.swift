package import DeviceMessages
package import Foundation

/// An app that the devices of a group run, with one of its configurations or none.
///
/// When several groups of one device assign the same app, the assignment made last counts.
package struct Assignment: Sendable, Equatable {
    package let group: String
    package let app: String
    package let configuration: String?
    /// The app's configurations that its extensions get, by their bundle identifiers.
    package let extensions: [String: String]
    /// How far a device must trust the app before it gives it a secret.
    package let lowestTrust: AppTrust
    package let assigned: Date
    /// Grows with every assignment made: the order that decides.
    package let order: Int

    package init(
        group: String, app: String, configuration: String?, extensions: [String: String] = [:],
        lowestTrust: AppTrust = .launched, assigned: Date, order: Int
    ) {
        self.group = group
        self.app = app
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.assigned = assigned
        self.order = order
    }
}

/// What came of assigning.
package struct MadeAssignment: Sendable, Equatable {
    package let assignment: Assignment
    package let warnings: [String]
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
