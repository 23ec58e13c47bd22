import Glibc

/// A file that is there whole or not at all: written beside its place, synced, and renamed into it.
package final class OutputFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private var isCommitted = false

    /// Begins a file; its permissions are `mode` without those that the process's mask takes away.
    package init(path: String, mode: UInt32 = 0o666) throws(PackageRefusal) {
        self.path = path
        var random = SystemRandomNumberGenerator()
        temporary = path + ".\(String(random.next(), radix: 36)).partial"
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw PackageRefusal(.unwritable, file: path, systemError: errno) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isCommitted { unsafe unlink(temporary) }
    }

    package func write(_ bytes: [UInt8]) throws(PackageRefusal) {
        guard writeAll(bytes[...], to: descriptor) else {
            throw PackageRefusal(.unwritable, file: path, systemError: errno)
        }
    }

    /// Puts the file into its place, that of one that was there before included unless `replacing` is false.
    package func commit(replacing: Bool = true) throws(PackageRefusal) {
        guard fsync(descriptor) == 0 else { throw PackageRefusal(.unwritable, file: path, systemError: errno) }
        let isInPlace = try replacing ? false : claim()
        if !isInPlace {
            guard unsafe rename(temporary, path) == 0 else {
                throw PackageRefusal(.unwritable, file: path, systemError: errno)
            }
        }
        isCommitted = true
    }

    /// Puts the file into a place that must be free, in one step; false where the file system has no links, and nothing is
    /// there.
    private func claim() throws(PackageRefusal) -> Bool {
        if unsafe Glibc.link(temporary, path) == 0 {
            unsafe unlink(temporary)
            return true
        }
        let code = errno
        guard code != EEXIST else { throw PackageRefusal(.exists, file: path) }
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(code) else {
            throw PackageRefusal(.unwritable, file: path, systemError: code)
        }
        var status = stat()
        // A link that leads nowhere is there, too.
        guard unsafe lstat(path, &status) != 0 else { throw PackageRefusal(.exists, file: path) }
        return false
    }
}

/// Writes everything; false with `errno` set when that fails.
func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
            let count = unsafe Glibc.write(
                descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
            if count < 0 {
                guard errno == EINTR else { return false }
            } else {
                done += count
            }
        }
        return true
    }
}
