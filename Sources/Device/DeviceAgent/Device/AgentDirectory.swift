import Foundation

/// Whether an agent may begin in a directory.
///
/// An agent removes from folders of certain names what it does not know, such as downloads of long ago. Where no agent
/// has worked before, folders of such names are somebody's.
package enum AgentDirectory {
    /// Made before any other file of an agent's: where one of these is, an agent has worked.
    private static let signs: Set<String> = ["device.key", "device.sealed-key", "generations"]
    /// What an agent makes, replaces and clears without asking.
    private static let folders = ["app-homes", "app-remains", "blobs", "downloads", "managed-apps", "trust"]

    /// The name of something that an agent would clear though no agent made it; nothing where one may work.
    package static func foreign(among names: Set<String>) -> String? {
        guard names.isDisjoint(with: signs) else { return nil }
        return folders.first(where: names.contains)
    }

    /// The same for a directory on the disk; an agent may work in one that does not exist yet.
    package static func foreign(in directory: String) -> String? {
        foreign(among: Set((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []))
    }
}
