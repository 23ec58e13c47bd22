package import Foundation

/// Apps, as a store keeps them.
package protocol AppStore: Sendable {
    /// Adds or replaces an app (its revision stays) and answers with the groups whose manifests change by it.
    func putApp(_ app: App, author: String, now: Date) async throws -> Changed<App>
    func app(_ bundleIdentifier: String) async throws -> App?
    func apps(_ page: PageRequest) async throws -> Page<App>
    /// Raises the app's revision.
    func requestUpdateCheck(
        of bundleIdentifier: String, author: String, now: Date
    ) async throws -> Outcome<Changed<App>, AdminRefusal>
    /// Removes an app that is assigned nowhere, with its configurations.
    func removeApp(_ bundleIdentifier: String, author: String, now: Date) async throws -> AdminRefusal?
}

/// The result of a change, and the groups whose devices it concerns.
package struct Changed<Value: Sendable>: Sendable {
    package let value: Value
    package let groups: [String]

    package init(_ value: Value, groups: [String]) {
        self.value = value
        self.groups = groups
    }
}
