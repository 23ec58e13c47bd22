package import Foundation

/// An app that the devices of a group run, with one of its configurations or none.
///
/// When several groups of one device assign the same app, the assignment made last counts.
package struct Assignment: Sendable, Equatable {
    package let group: String
    package let app: String
    package let configuration: String?
    package let assigned: Date
    /// Grows with every assignment made: the order that decides.
    package let order: Int

    package init(group: String, app: String, configuration: String?, assigned: Date, order: Int) {
        self.group = group
        self.app = app
        self.configuration = configuration
        self.assigned = assigned
        self.order = order
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
