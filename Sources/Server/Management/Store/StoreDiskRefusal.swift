/// The disk of the store did not take a change: nothing of it was written.
package struct StoreDiskRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        case full
        case readOnly
    }

    package let cause: Cause
    /// The store's file.
    package let path: String
    /// What was free on its disk when it refused, in bytes; nothing where the system did not say.
    package let freeBytes: Int?

    package init(_ cause: Cause, path: String, freeBytes: Int?) {
        self.cause = cause
        self.path = path
        self.freeBytes = freeBytes
    }

    /// For everybody: it says nothing of where the disk is.
    package var description: String {
        switch cause {
        case .full: "the disk of the database is full"
        case .readOnly: "the disk of the database cannot be written to"
        }
    }

    /// For operators: the directory, the free space, and the remedy.
    package var detail: String {
        let free = freeBytes.map { ", \($0) bytes of its disk are free" } ?? ""
        let wayOn =
            switch cause {
            case .full: "make room there, and the server goes on by itself"
            case .readOnly: "have it mounted for writing, and let the server's user write to the file"
            }
        return "The database is \(path)\(free): \(wayOn)."
    }
}
