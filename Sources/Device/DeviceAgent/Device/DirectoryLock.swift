import Foundation

/// Keeps a second agent out of a directory for as long as it lives; the kernel lets go when the process ends.
package final class DirectoryLock: Sendable {
    private let file: Int32

    /// Takes the directory, or says that it is in use.
    package init(_ directory: String, steps: any FileSteps = DiskSteps()) throws {
        try steps.makeDirectory(directory)
        file = unsafe open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileRefusal(step: "opening the lock", number: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw StoreRefusal.inUse
        }
    }

    deinit { close(file) }
}
