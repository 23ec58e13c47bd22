import AdminMessages
package import Foundation

/// Reads the files secrets are made of.
package enum SecretInput {
    /// The bytes of a file.
    package static func file(at path: String) throws(Failure) -> Data {
        let bytes = try ReadFile.bytes(at: path, upTo: SecretSize.file, orInput: false)
        guard bytes.count <= SecretSize.file else { throw Failure(.refused, SecretSize.fileRule) }
        return bytes
    }

    /// What can be read from a descriptor that was open when the tool was started.
    static func descriptor(_ number: Int32) throws(Failure) -> Data {
        guard number > 2, fcntl(number, F_GETFD) >= 0,
            let bytes = try? ReadFile.read(
                FileHandle(fileDescriptor: number, closeOnDealloc: false), upTo: SecretSize.file)
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
}
