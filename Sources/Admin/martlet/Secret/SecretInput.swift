import AdminMessages
package import Foundation

/// Reads the files secrets are made of.
package enum SecretInput {
    /// The bytes of a file.
    package static func file(at path: String) throws(Failure) -> Data {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? read(file) else {
            throw Failure(.failed, "the file cannot be read", advice: "Its path is \(Printable.line(path)).")
        }
        guard bytes.count <= SecretSize.file else { throw Failure(.refused, SecretSize.fileRule) }
        return bytes
    }

    /// What can be read from a descriptor that was open when the tool was started.
    static func descriptor(_ number: Int32) throws(Failure) -> Data {
        guard number > 2, fcntl(number, F_GETFD) >= 0,
            let bytes = try? read(FileHandle(fileDescriptor: number, closeOnDealloc: false))
        else {
            throw Failure(.failed, "the descriptor \(number) cannot be read", advice: "The shell opens one: 3< file")
        }
        guard bytes.count <= SecretSize.file else { throw Failure(.refused, SecretSize.fileRule) }
        return bytes
    }

    /// The bytes of a certificate's file; a key beside it must not leave this machine by mistake.
    package static func certificate(at path: String) throws(Failure) -> Data {
        let bytes = try file(at: path)
        guard bytes.firstRange(of: Data("PRIVATE KEY-----".utf8)) == nil else {
            throw Failure(
                .refused, "this file holds a private key; nothing was sent",
                advice: "Give the certificate alone, or both as one identity: --pkcs12.")
        }
        return bytes
    }

    private static func read(_ file: FileHandle) throws -> Data {
        var bytes = Data()
        while bytes.count <= SecretSize.file, let piece = try file.read(upToCount: 65_536), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }
}
