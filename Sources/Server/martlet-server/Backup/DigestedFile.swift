import Crypto
import Foundation

/// A file that is read from its beginning to its end, once.
enum DigestedFile {
    private static let part = 1 << 20
    /// What is written goes to the disk in portions: one wait for all of a large file would look as if nothing moved.
    private static let portion = 64 << 20

    /// Copies a file, to the disk and readable by its owner alone.
    ///
    /// - Returns: the size in bytes and the SHA-256 in lowercase hexadecimal of what was copied.
    static func copy(_ source: URL, to target: URL) throws -> (size: Int, sha256: String) {
        try create(target) { output in
            var unwritten = 0
            return try read(source) { bytes in
                try output.write(bytes)
                unwritten += bytes.count
                guard unwritten >= portion else { return }
                try output.synchronize()
                unwritten = 0
            }
        }
    }

    /// Writes a new file, to the disk and readable by its owner alone.
    static func write(_ bytes: Data, to target: URL) throws {
        try create(target) { try $0.write(bytes) }
    }

    private static func create<Result>(_ target: URL, _ body: (OutputDescriptor) throws -> Result) throws -> Result {
        do {
            let output = try OutputDescriptor(opening: target.path, O_EXCL)
            let result = try body(output)
            try output.synchronize()
            try output.close()
            return result
        } catch let fault as SystemFault {
            throw Refusal(rule: "\(target.path) cannot be written: \(reason(fault.code))")
        }
    }

    /// Why a file was not written, by the error code of the system.
    static func reason(_ code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "its disk is full: make room there"
        case EFBIG: "it would be larger than this process may make a file (ulimit -f)"
        case EROFS: "its disk is read-only: have it mounted for writing"
        case EIO: "its disk reports errors: look at it with dmesg"
        case EACCES, EPERM: "this user may not write there (chown, chmod, chattr -i)"
        default: unsafe String(cString: strerror(code))
        }
    }

    /// The size and the digest of a file.
    static func facts(of file: URL) throws -> (size: Int, sha256: String) { try read(file) { _ in } }

    private static func read(_ file: URL, _ body: (Data) throws -> Void) throws -> (size: Int, sha256: String) {
        let refusal = Refusal(rule: "\(file.lastPathComponent) cannot be read")
        let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw refusal }
        let input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var (size, hash) = (0, SHA256())
        while true {
            let bytes: Data?
            do { bytes = try input.read(upToCount: part) } catch { throw refusal }
            guard let bytes, !bytes.isEmpty else { break }
            size += bytes.count
            hash.update(data: bytes)
            try body(bytes)
        }
        return (size, hash.finalize().map { String(format: "%02x", $0) }.joined())
    }

    /// Brings the names in a directory to the disk.
    static func syncDirectory(_ directory: URL) throws {
        let descriptor = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Refusal(rule: "\(directory.path) cannot be read") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Refusal(rule: "\(directory.path) cannot be written") }
    }
}
