package import DeviceMessages
package import Foundation

/// Assignments, as a store keeps them.
package protocol AssignmentStore: Sendable {
    /// Assigns, or replaces the assignment; the same one again changes nothing but its place in the order.
    func assign(
        app: String, configuration: String?, extensions: [String: String], lowestTrust: AppTrust, to group: String,
        author: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal>
    func unassign(
        app: String, from group: String, author: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal>
    func assignment(app: String, group: String) async throws -> Assignment?
    func assignments(_ filter: AssignmentFilter, _ page: PageRequest) async throws -> Page<Assignment>
}
