import Foundation
import Glibc

/// A file of this machine that a command reads.
///
/// Every command reads its files by this, so that all end with the same status, and say why one cannot be read.
enum ReadFile {
    private static let piece = 65_536

    /// The bytes of a file, or of standard input if the path is `-` and that is allowed.
    ///
    /// - Returns: at most about a piece more than `limit`, by which the caller sees that the file is too large.
    static func bytes(at path: String, upTo limit: Int, orInput: Bool = true) throws(Failure) -> Data {
        let file: FileHandle
        if path == "-", orInput { file = .standardInput } else { file = try opened(path) }
        guard let bytes = try? read(file, upTo: limit) else { throw .unreadable(path, nil) }
        return bytes
    }

    /// A file that is open to be read.
    static func opened(_ path: String) throws(Failure) -> FileHandle {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // A directory can be opened.
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .unreadable(path, EISDIR) }
        return file
    }

    /// A pipe hands over its bytes in pieces.
    static func read(_ file: FileHandle, upTo limit: Int) throws -> Data {
        var bytes = Data()
        while bytes.count <= limit, let next = try file.read(upToCount: piece), !next.isEmpty { bytes += next }
        return bytes
    }
}

extension Failure {
    /// A file of this machine cannot be read, for the system's reason: what is not there is not found.
    static func unreadable(_ path: String, _ number: Int32?) -> Failure {
        let name = Printable.line(path)
        switch number {
        case EISDIR: return Failure(.refused, "a directory is named where a file is needed: \(name)")
        case let number?:
            return Failure(
                [ENOENT, ENOTDIR].contains(number) ? .notFound : .failed,
                "\(name) cannot be read: \(unsafe String(cString: strerror(number)))")
        case nil: return Failure(.failed, "\(name) cannot be read")
        }
    }
}
