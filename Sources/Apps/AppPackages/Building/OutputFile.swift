import Glibc

/// A file that is there whole or not at all: written beside its place, synced, and renamed into it.
package final class OutputFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private var isCommitted = false

    package init(path: String) throws(PackageRefusal) {
        self.path = path
        var random = SystemRandomNumberGenerator()
        temporary = path + ".\(String(random.next(), radix: 36)).partial"
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw PackageRefusal(.unwritable, file: path) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isCommitted { unsafe unlink(temporary) }
    }

    package func write(_ bytes: [UInt8]) throws(PackageRefusal) {
        guard writeAll(bytes[...], to: descriptor) else { throw PackageRefusal(.unwritable, file: path) }
    }

    /// Puts the file into its place, that of one that was there before included.
    package func commit() throws(PackageRefusal) {
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
            throw PackageRefusal(.unwritable, file: path)
        }
        isCommitted = true
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
