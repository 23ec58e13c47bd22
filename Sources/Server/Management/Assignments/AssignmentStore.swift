package import Foundation

/// Assignments, as a store keeps them.
package protocol AssignmentStore: Sendable {
    /// Assigns, or replaces the assignment that is expected; the same one again changes nothing but its place in the
    /// order, and not even that where the wish keeps it.
    func assign(
        _ wish: AssignmentWish, author: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal>
    func unassign(
        app: String, from group: String, expected: ExpectedAssignment, author: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal>
    func assignment(app: String, group: String) async throws -> Assignment?
    /// All assignments to any of these groups, those of an app together, the one that counts first.
    func candidates(inGroups groups: [String]) async throws -> [AssignmentCandidate]
    func assignments(_ filter: AssignmentFilter, _ page: PageRequest) async throws -> Page<Assignment>
}
