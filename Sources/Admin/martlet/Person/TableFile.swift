import AdminMessages
import Foundation

/// A file of comma-separated values that is sent as it is: the server judges it.
enum TableFile {
    static func bytes(at path: String) throws(Failure) -> Data {
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let file, let bytes = try? read(file) else {
            throw Failure(.failed, "the file cannot be read", advice: "Its path is \(Printable.line(path)).")
        }
        guard bytes.count <= TableSize.limit else { throw Failure(.refused, TableSize.rule) }
        return bytes
    }

    /// A pipe hands over its bytes in pieces.
    private static func read(_ file: FileHandle) throws -> Data {
        var bytes = Data()
        while bytes.count <= TableSize.limit, let piece = try file.read(upToCount: 65_536), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }
}
