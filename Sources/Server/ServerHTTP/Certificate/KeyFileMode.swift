import Foundation

/// The permissions of the file of a private key.
enum KeyFileMode {
    /// Whether it is its owner's alone; where that is root, a group may read it, too.
    ///
    /// A link is followed.
    static func isClosedToOthers(_ path: String) -> Bool {
        let place = URL(filePath: path).resolvingSymlinksInPath().path
        guard let facts = try? FileManager.default.attributesOfItem(atPath: place),
            let mode = facts[.posixPermissions] as? Int, let owner = facts[.ownerAccountID] as? Int
        else { return false }
        return mode & (owner == 0 ? 0o037 : 0o077) == 0
    }
}
