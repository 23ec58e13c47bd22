import Glibc

/// Where a package is read from, front to back.
package protocol PackageSource: AnyObject {
    /// Fills `buffer` from `place` on with what is there, and answers how much that was: 0 only at the end.
    func read(into buffer: inout [UInt8], at place: Int) throws(PackageRefusal) -> Int
}

/// A package in memory.
package final class PackageBytes: PackageSource {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    package func read(into buffer: inout [UInt8], at place: Int) -> Int {
        let piece = rest.prefix(buffer.count - place)
        buffer.replaceSubrange(place..<(place + piece.count), with: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

/// A package in a file, or whatever an open descriptor yields.
package final class PackageFile: PackageSource {
    private let descriptor: Int32
    private let isOwned: Bool
    /// How much was read so far, for those who show progress.
    package private(set) var position: UInt64 = 0
    private let progress: (@Sendable (UInt64) -> Void)?

    /// Reads a file, which must be one: a pipe or device could keep us waiting.
    package init(path: String, progress: (@Sendable (UInt64) -> Void)? = nil) throws(PackageRefusal) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        isOwned = true
        self.progress = progress
        guard descriptor >= 0, OpenedFile.isRegular(descriptor) else {
            throw PackageRefusal(.unreadable, file: path)
        }
    }

    /// Reads an open descriptor from where it stands; the caller closes it.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
        progress = nil
    }

    deinit {
        if isOwned, descriptor >= 0 { close(descriptor) }
    }

    package func read(into buffer: inout [UInt8], at place: Int) throws(PackageRefusal) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + place }, bytes.count - place)
            }
            if count >= 0 {
                position += UInt64(count)
                progress?(position)
                return count
            }
            guard errno == EINTR else { throw PackageRefusal(.unreadable) }
        }
    }
}
