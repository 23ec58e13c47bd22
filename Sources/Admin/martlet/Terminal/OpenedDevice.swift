import Foundation
import Glibc

/// A device or pipe that a command writes to as it is: no file takes its place.
final class OpenedDevice {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .unwritable(path, errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a device, a pipe or a socket lies at a path, or where a link there leads.
    static func lies(at path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return [S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    func write(_ bytes: Data) throws(Failure) {
        var rest = [UInt8](bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            let number = errno
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if number != EINTR {
                throw .unwritable(path, number)
            }
        }
    }
}
