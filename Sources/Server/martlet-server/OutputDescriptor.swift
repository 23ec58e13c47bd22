import Foundation
import Glibc

/// A file that is written, readable by its owner alone; each failure has the system's own error code.
///
/// `FileHandle` says only that something could not be written.
final class OutputDescriptor {
    private var descriptor: Int32

    /// Opens a file for writing and makes it if it is missing; `flags` are further ones of `open`.
    init(opening path: String, _ flags: Int32) throws(SystemFault) {
        let opened = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
        guard opened >= 0 else { throw SystemFault(code: errno) }
        descriptor = opened
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    /// Writes all of the bytes.
    func write(_ bytes: Data) throws(SystemFault) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = unsafe left.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFault(code: count == 0 ? EIO : errno) }
            left = left.dropFirst(count)
        }
    }

    /// Brings what was written to the disk.
    func synchronize() throws(SystemFault) {
        guard fsync(descriptor) == 0 else { throw SystemFault(code: errno) }
    }

    /// Closes the file; some file systems say only then that it has no room.
    func close() throws(SystemFault) {
        let closed = descriptor
        descriptor = -1
        guard Glibc.close(closed) == 0 else { throw SystemFault(code: errno) }
    }
}

/// An error of the system, by its code.
struct SystemFault: Error, Equatable {
    let code: Int32
}
