package import Foundation

/// Groups, as a store keeps them.
package protocol GroupStore: Sendable {
    func addGroup(named name: String, author: String, now: Date) async throws -> Outcome<Group, AdminRefusal>
    func group(named name: String) async throws -> Group?
    func groups(_ page: PageRequest) async throws -> Page<Group>
    /// Removes a group that no device is in and to which nothing is assigned; its unused codes end with it.
    func removeGroup(named name: String, author: String, now: Date) async throws -> AdminRefusal?
}
