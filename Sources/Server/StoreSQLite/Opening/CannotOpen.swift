import GRDB
import Glibc
package import Management

/// A file of the store cannot be opened or made: which one, why, and what to do.
package struct CannotOpen: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        case disk(StoreDiskRefusal.Cause)
        case damaged(StoreDamage.Kind)
        /// In the system's words, or by what an error of SQLite means.
        case other(String)
    }

    package let path: String
    package let cause: Cause

    /// By the error code of the system.
    init(path: String, code: Int32) {
        self.path = path
        if let refusal = StoreDiskRefusal.Cause(systemError: code) {
            cause = .disk(refusal)
        } else {
            cause = .other(unsafe String(cString: strerror(code)))
        }
    }

    /// By what SQLite said while it opened or prepared the store's file.
    init(path: String, _ error: DatabaseError) {
        self.path = path
        let systemError = Self.systemError(path)
        if let damage = DamageWatch.damage(error) {
            cause = .damaged(damage)
        } else if let refusal = DiskWatch.cause(
            error, systemError: systemError, freeBytes: DiskWatch.freeBytes(at: path)),
            // An opening fails for more reasons than a write: that the disk has errors is for the system to say.
            refusal != .failing || systemError == EIO
        {
            cause = .disk(refusal)
        } else {
            cause = .other(error.meaning)
        }
    }

    package var description: String {
        switch cause {
        case .damaged(let kind): StoreDamage(kind, path: path).description
        case .disk(let refusal): "the file \(path) cannot be opened: \(refusal): \(Self.wayOn(refusal))"
        case .other(let reason): "the file \(path) cannot be opened: \(reason)"
        }
    }

    /// Why the system would not let us write to a file or beside it; SQLite keeps no error of an opening that failed.
    private static func systemError(_ path: String) -> Int32 {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        for place in [path, directory] {
            guard unsafe access(place, R_OK | W_OK) == 0 else { return errno }
        }
        return 0
    }

    private static func wayOn(_ cause: StoreDiskRefusal.Cause) -> String {
        switch cause {
        case .full: "make room there"
        case .readOnly: "have it mounted for writing"
        case .denied: "let the server's user read and write it and its directory (chown, chmod)"
        case .failing: "look at the disk with dmesg"
        case .unreachable: "look whether it is a file, and whether its directory is there and is the server's user's"
        case .moved: "put it back where it was, with the files beside it"
        }
    }
}
