import Foundation
import NIOSSL

/// A file that an option names; where it cannot be used, the refusal names both.
struct NamedFile {
    private static let largest = 1 << 20

    let path: String
    /// As it is written on the command line.
    let option: String

    init(_ path: String, _ option: String) {
        (self.path, self.option) = (path, option)
    }

    func bytes() throws -> Data {
        var isDirectory = ObjCBool(false)
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw Refusal(rule: "\(path) (\(option)) is a directory: name a file")
        }
        // Of an empty file there is nothing.
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: Self.largest + 1) ?? Data()
        else {
            throw Refusal(
                rule: "\(path) (\(option)) cannot be read: it must be there, open to the user that the server runs as")
        }
        guard bytes.count <= Self.largest else { throw Refusal(rule: "\(path) (\(option)) has more than 1 MiB") }
        return bytes
    }

    func certificates() throws -> [NIOSSLCertificate] {
        let bytes = try bytes()
        guard !bytes.isEmpty else {
            throw Refusal(rule: "\(path) (\(option)) is empty: it must hold certificates in PEM")
        }
        guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(bytes)), !found.isEmpty else {
            throw Refusal(rule: "\(path) (\(option)) must hold certificates in PEM")
        }
        return found
    }
}
