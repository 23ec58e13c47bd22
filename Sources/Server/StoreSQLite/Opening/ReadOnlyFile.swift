import Foundation
import Glibc

/// A store's file on a disk that is mounted read-only, as SQLite can open it there.
enum ReadOnlyFile {
    /// Whether the disk of a file is mounted read-only; what the system denies for another reason is no such disk.
    static func isOnReadOnlyDisk(_ path: String) -> Bool {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return unsafe access(directory, W_OK) != 0 && errno == EROFS
    }

    /// The name under which SQLite opens the file without making one beside it.
    ///
    /// SQLite makes an index of the log beside a database, unless it knows that nothing changes the file. That is so where
    /// the disk takes no writes and the log is empty: a server that runs has something in its log. Of a log that is not
    /// empty SQLite needs the index that a server left.
    static func name(of path: String) -> String {
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? NSNumber
        guard log.map({ $0.intValue == 0 }) ?? true else { return path }
        return URL(filePath: path).absoluteString + "?immutable=1"
    }
}
