import AdminMessages
import Foundation

/// A file of comma-separated values that is sent as it is: the server judges it.
enum TableFile {
    static func bytes(at path: String) throws(Failure) -> Data {
        let bytes = try ReadFile.bytes(at: path, upTo: TableSize.limit)
        guard bytes.count <= TableSize.limit else { throw Failure(.refused, TableSize.rule) }
        return bytes
    }
}
