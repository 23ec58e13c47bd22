import AppPackages
import Foundation

/// What the file system says of a file; a link is not followed.
struct FileFacts {
    let size: Int
    /// In seconds since 1970.
    let modified: Int

    /// Nothing where there is no file.
    init?(path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path), let size = facts[.size] as? NSNumber,
            let modified = facts[.modificationDate] as? Date
        else { return nil }
        self.size = size.intValue
        self.modified = Int(modified.timeIntervalSince1970)
    }

    /// What is free for us on the disk on which a directory lies.
    static func freeBytes(at path: String) -> Int? { FreeSpace.at(path).map { Int(clamping: $0) } }
}
