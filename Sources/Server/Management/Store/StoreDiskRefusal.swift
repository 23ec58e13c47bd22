import Foundation

/// The disk of the store did not take a change: nothing of it was written.
package struct StoreDiskRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable, CustomStringConvertible {
        case full
        case readOnly
        /// The system does not let the server's user.
        case denied
        /// The disk reports errors.
        case failing
        /// A file of the database cannot be opened, for another reason.
        case unreachable
        /// A file of the database was moved, replaced or removed while the server has it open.
        case moved

        package var description: String {
            switch self {
            case .full: "the disk of the database is full"
            case .readOnly: "the disk of the database cannot be written to"
            case .denied: "the server is not allowed to write to the database"
            case .failing: "the disk of the database reports errors"
            case .unreachable: "the files of the database cannot be opened"
            case .moved: "the files of the database were moved or replaced"
            }
        }
    }

    package let cause: Cause
    /// The store's file, or the one of its files that was moved.
    package let path: String
    /// What was free on its disk when it refused, in bytes; nothing where the system did not say.
    package let freeBytes: Int?

    package init(_ cause: Cause, path: String, freeBytes: Int?) {
        self.cause = cause
        self.path = path
        self.freeBytes = freeBytes
    }

    /// For everybody: it says nothing of where the disk is.
    package var description: String { "\(cause)" }

    /// For operators: the directory, the free space, and the remedy.
    package var detail: String {
        if cause == .moved { return "The server has another file open than \(path): \(cause.wayOn)." }
        return "The database is \(path)\(free): \(cause.wayOn)."
    }

    /// The same for who runs a command that ends with it: no server goes on then.
    package var commandDetail: String { "The database is \(path)\(free): \(cause.remedy), then run the command again." }

    private var free: String { freeBytes.map { ", \($0) bytes of its disk are free" } ?? "" }
}

extension StoreDiskRefusal.Cause {
    /// What an operator does about it while the server runs.
    fileprivate var wayOn: String {
        switch self {
        case .full: "make room there, and the server goes on by itself"
        case .readOnly: "have it mounted for writing, and let the server's user write to the file"
        case .denied:
            "let the server's user write to it and its directory (chown, chmod, chattr -i): the server goes on then"
        case .failing: "look at it with dmesg; if it fails, stop the server and put a backup back on another disk"
        case .unreachable:
            "look whether its directory is there and is the server's user's, and whether the server may open more files"
        case .moved:
            """
            put the files of the database back where they were, and the server goes on by itself; to use others in their \
            place, stop the server first
            """
        }
    }
}

extension StoreDiskRefusal.Cause {
    /// What an operator does about it where no server runs.
    fileprivate var remedy: String {
        switch self {
        case .full: "make room there"
        case .readOnly: "have it mounted for writing, and let the server's user write to the file"
        case .denied: "let the server's user write to it and its directory (chown, chmod, chattr -i)"
        case .failing: "look at it with dmesg, and if it fails, put a backup back on another disk"
        case .unreachable: "look whether its directory is there and is the server's user's"
        case .moved: "put its files back where they were"
        }
    }
}

/// A command that ends with it prints the path and the remedy, too.
extension StoreDiskRefusal: LocalizedError {
    package var errorDescription: String? { "\(self). \(commandDetail)" }
}
