import Foundation
import ManagedApp

/// An app for tests that looks up its secrets whenever it hears that they changed, and says so on a line for each kind.
///
/// `SecretsApp follow` does so until it ends; `SecretsApp ask KIND IDENTIFIER` looks one up, says it and ends;
/// `SecretsApp sign IDENTIFIER` holds an identity and signs with it for each line that it reads. Of a
/// password it says a sum and no letter, so that a copy of the password elsewhere cannot come from here.
@main
struct SecretsApp {
    @MainActor
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "ask" {
            Task {
                say("\(arguments[2]) \(await look(up: arguments[2], arguments[3]))")
                exit(0)
            }
        } else if arguments.count == 3, arguments[1] == "sign" {
            Task { await sign(with: arguments[2]) }
        } else {
            Task { await followPasswords() }
            Task { await followCertificates() }
            Task { await followIdentities() }
        }
        RunLoop.main.run()
    }

    /// Waits until the identity is there, holds its key, and uses it whenever it is asked to.
    @MainActor
    private static func sign(with identifier: String) async {
        var held: SecIdentity?
        for await _ in await ManagedAppIdentitiesProvider().identifiers {
            held = try? await ManagedAppIdentitiesProvider().identity(withIdentifier: identifier)
            if held != nil { break }
        }
        guard let held else { exit(1) }
        var key: SecKey?
        guard SecIdentityCopyPrivateKey(held, &key) == errSecSuccess, let key else { exit(1) }
        say("ready")
        while readLine() != nil {
            var error: Unmanaged<CFError>?
            let message = Data("a message".utf8) as CFData
            if SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, &error) != nil {
                say("signed")
            } else if let error = error?.takeRetainedValue() as NSError? {
                say("refused \(error.domain) \(error.code): \(error.localizedDescription)")
            }
        }
        exit(0)
    }

    @MainActor
    private static func followPasswords() async {
        for await identifiers in await ManagedAppPasswordsProvider().identifiers {
            await say("password", identifiers)
        }
    }

    @MainActor
    private static func followCertificates() async {
        for await identifiers in await ManagedAppCertificatesProvider().identifiers {
            await say("certificate", identifiers)
        }
    }

    @MainActor
    private static func followIdentities() async {
        for await identifiers in await ManagedAppIdentitiesProvider().identifiers {
            await say("identity", identifiers)
        }
    }

    @MainActor
    private static func say(_ kind: String, _ identifiers: [String]) async {
        var found: [String] = []
        for identifier in identifiers.sorted() { found.append(await look(up: kind, identifier)) }
        say("\(kind) [\(found.joined(separator: ", "))]")
    }

    // Looked up, said and forgotten.
    @MainActor
    private static func look(up kind: String, _ identifier: String) async -> String {
        do {
            switch kind {
            case "password":
                let password = try await ManagedAppPasswordsProvider().password(withIdentifier: identifier)
                return "\(identifier)=\(sum(password))"
            case "certificate":
                let certificate = try await ManagedAppCertificatesProvider().certificate(withIdentifier: identifier)
                return "\(identifier)=\((SecCertificateCopyData(certificate) as Data).base64EncodedString())"
            default:
                let identity = try await ManagedAppIdentitiesProvider().identity(withIdentifier: identifier)
                return "\(identifier)=\(try proof(of: identity))"
            }
        } catch {
            return "\(identifier): \(error)"
        }
    }

    /// The certificate, and a signature that its key has made of its bytes.
    private static func proof(of identity: SecIdentity) throws -> String {
        var key: SecKey?
        var certificate: SecCertificate?
        guard SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess, let key,
            SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate
        else { throw ManagedAppError.internalError }
        let bytes = SecCertificateCopyData(certificate)
        let algorithm: SecKeyAlgorithm =
            SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePKCS1v15SHA256)
            ? .rsaSignatureMessagePKCS1v15SHA256 : .ecdsaSignatureMessageX962SHA256
        var error: Unmanaged<CFError>?
        guard let signature = SecKeyCreateSignature(key, algorithm, bytes, &error) else {
            throw error?.takeRetainedValue() as Error? ?? ManagedAppError.internalError
        }
        let isExported = SecKeyCopyExternalRepresentation(key, nil) != nil
        return "\((bytes as Data).base64EncodedString()) \((signature as Data).base64EncodedString())"
            + (isExported ? " exported" : "")
    }

    /// The number of bytes and a sum over them (FNV-1a).
    private static func sum(_ text: String) -> String {
        let sum = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(text.utf8.count):\(sum)"
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
