package import Foundation
import Synchronization

/// One piece of an upload while it is written, behind what is there.
///
/// Writing is off the threads that serve others: a disk may take its time.
package final class PackageUpload: Sendable {
    private let descriptor: Int32
    private let start: Int
    private let end: Int
    private let written = Mutex(0)
    private let queue = DispatchQueue(label: "dev.martlet.package-upload")

    /// Opens the upload for what stands at `offset`, which must be where it ends.
    init(_ place: URL, at offset: Int, count: Int) throws {
        descriptor = unsafe open(place.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PackageFileFault(code: errno) }
        start = offset
        end = offset + count
    }

    deinit { close(descriptor) }

    /// Appends bytes; more than were announced are refused, and a full disk leaves what was there before this piece.
    package func write(_ bytes: Data) async throws -> AdminRefusal? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try append(bytes) }) }
        }
    }

    /// How much of the whole is there now.
    package var received: Int { start + written.withLock { $0 } }

    /// Whether all of the announced piece came.
    package var isWhole: Bool { received == end }

    private func append(_ bytes: Data) throws -> AdminRefusal? {
        try written.withLock { written in
            guard start + written + bytes.count <= end else {
                return .invalid(rule: "A piece of a package has as many bytes as its range says.")
            }
            var left = bytes[...]
            while !left.isEmpty {
                let count = unsafe left.withUnsafeBytes { buffer in
                    unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(start + written))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let code = errno
                    // What is there is good, but there must be room for others.
                    ftruncate(descriptor, off_t(start))
                    written = 0
                    if [ENOSPC, EDQUOT, EFBIG].contains(code) { return .noSpace(.full) }
                    throw PackageFileFault(code: code)
                }
                written += count
                left = left.dropFirst(count)
            }
            return nil
        }
    }
}
