package import Foundation

/// The declarations that were announced to devices and the files that they refer to, as a store keeps them.
package protocol DeclarationStore: Sendable {
    /// Reads what the manifest of these groups depends on.
    func assignmentSnapshot(groups: [String]) async throws -> AssignmentSnapshot
    /// Marks the token as acknowledged by the device.
    func recordTold(device: String, epoch: Int, token: String, now: Date) async throws
    /// Keeps the declarations that will be announced to the devices of these groups.
    func keepSnapshot(_ snapshot: ManifestSnapshot, groups: [String], now: Date) async throws
    /// Keeps the declarations that will be announced to one device, with the files made for it, in place of earlier
    /// ones; marks that the items were announced.
    func keepOwnSnapshot(
        _ snapshot: ManifestSnapshot, files: [String: Data], device: String, epoch: Int, now: Date) async throws
    /// Marks that the device was given the items of this token, which it thereby knows.
    func recordItems(device: String, epoch: Int, token: String, now: Date) async throws
    func snapshot(token: String) async throws -> ManifestSnapshot?
    /// The group sets for which snapshots are kept, each with its token.
    func snapshotHolders() async throws -> [SnapshotHolder]
    /// Begins or ends the time after which snapshots that are no longer current go.
    func markSuperseded(_ holders: [SnapshotHolder], now: Date) async throws
    func markCurrent(_ holders: [SnapshotHolder]) async throws
    /// The bytes of a configuration version or of an asset that a snapshot refers to.
    func assetBytes(sha256: String) async throws -> Data?
}

/// A set of groups that had a certain manifest.
package struct SnapshotHolder: Sendable, Hashable {
    package let token: String
    package let groups: [String]

    package init(token: String, groups: [String]) {
        self.token = token
        self.groups = groups
    }
}
