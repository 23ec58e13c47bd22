package import AdminMessages
import Foundation
import InputBounds

/// A secret as a directory has it: its name, what its value is known by, and where the value is.
package struct SecretEntry: Codable, Sendable, Equatable {
    package var name: String
    package var kind: SecretKind
    /// What the value is known by; another one on the server has it set anew.
    package var marker: String?
    package var userName: String?
    package var userNameFrom: SecretReference?
    /// The password; the PEM or DER of a certificate; a PKCS #12 file; the recipe of SCEP or ACME as the API takes it.
    package var from: SecretReference?
    /// What opens the PKCS #12 file.
    package var passwordFrom: SecretReference?

    static let members: Set<String> = ["name", "kind", "marker", "userName", "userNameFrom", "from", "passwordFrom"]

    package init(
        name: String, kind: SecretKind, marker: String? = nil, userName: String? = nil,
        userNameFrom: SecretReference? = nil, from: SecretReference? = nil, passwordFrom: SecretReference? = nil
    ) {
        self.name = name
        self.kind = kind
        self.marker = marker
        self.userName = userName
        self.userNameFrom = userNameFrom
        self.from = from
        self.passwordFrom = passwordFrom
    }

    var references: [SecretReference] { [userNameFrom, from, passwordFrom].compactMap(\.self) }

    /// What may be in the directory itself: what a certificate says is no secret, a recipe is none but for its challenge.
    var mayLieInside: Bool { [.certificate, .scep, .acme].contains(kind) }

    /// The secret as it will be sent; what it is made of is read now and kept by nobody.
    func request(_ directory: URL) throws -> SecretRequest {
        guard let from else {
            throw Failure(.refused, "the secret \(name) does not say where its value is: from")
        }
        let bytes = try from.read(beside: directory)
        switch kind {
        case .password:
            let user = try userNameFrom.map { try Self.line($0.read(beside: directory), name) }
            return .password(PasswordSecret(userName: user ?? userName, password: try Self.line(bytes, name)))
        case .certificate:
            guard bytes.firstRange(of: Data("PRIVATE KEY-----".utf8)) == nil else {
                throw Failure(.refused, "the certificate \(name) has a private key beside it; it was not sent")
            }
            return .certificate(CertificateSecret(file: bytes))
        case .pkcs12:
            guard let passwordFrom else {
                throw Failure(.refused, "the secret \(name) does not say what opens its file: passwordFrom")
            }
            let password = try Self.line(passwordFrom.read(beside: directory), name)
            return .pkcs12(PKCS12Secret(file: bytes, password: password))
        case .scep, .acme:
            guard let recipe = try? AdminJSON.decode(SecretRequest.self, from: bytes), recipe.kind == kind else {
                throw Failure(
                    .refused, "the recipe of the secret \(name) is not one of \(kind)",
                    advice: "It is an object with the one member “\(kind)”, as the API takes it.")
            }
            if case .scep(let secret) = recipe, secret.challenge != nil, from.isInside(directory) {
                throw Failure(.refused, "the recipe of the secret \(name) has a challenge inside the directory")
            }
            return recipe
        default: throw Failure(.refused, "the secret \(name) is of a kind that is not known")
        }
    }

    private static func line(_ bytes: Data, _ name: String) throws(Failure) -> String {
        guard var text = String(data: bytes, encoding: .utf8) else {
            throw Failure(.refused, "the value of the secret \(name) is no text")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        // By bytes: a line feed behind a carriage return is another character.
        guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "\n")) else {
            throw Failure(.refused, "the value of the secret \(name) is one line of text")
        }
        return text
    }
}

/// Where a value is: never in the directory.
package struct SecretReference: Codable, Sendable, Equatable {
    /// A path from the directory on, or an absolute one.
    package var file: String?
    package var environment: String?
    /// A file descriptor that the tool inherits from its caller.
    package var descriptor: Int32?

    static let members: Set<String> = ["file", "environment", "descriptor"]

    package init(file: String? = nil, environment: String? = nil, descriptor: Int32? = nil) {
        self.file = file
        self.environment = environment
        self.descriptor = descriptor
    }

    package var text: String {
        if let file { return "the file \(Printable.line(file))" }
        if let environment { return "the environment variable \(Printable.line(environment))" }
        return "the descriptor \(descriptor ?? 0)"
    }

    func path(beside directory: URL) -> String? {
        file.map { URL(filePath: $0, relativeTo: directory).standardizedFileURL.path }
    }

    /// Whether a link leads into the directory, or the path itself does.
    func isInside(_ directory: URL) -> Bool {
        guard let path = path(beside: directory) else { return false }
        let real = DirectoryFiles.real(path) ?? path
        return DirectoryFiles.isInside(real, DirectoryFiles.real(directory.path) ?? directory.path)
    }

    /// Whether there is something to read, as far as can be said without reading it.
    func isThere(beside directory: URL) -> Bool {
        if let path = path(beside: directory) { return FileManager.default.isReadableFile(atPath: path) }
        if let environment { return ProcessInfo.processInfo.environment[environment]?.isEmpty == false }
        return descriptor.map { fcntl($0, F_GETFD) >= 0 } ?? false
    }

    fileprivate func read(beside directory: URL) throws(Failure) -> Data {
        if let path = path(beside: directory) { return try SecretInput.file(at: path) }
        if let environment {
            guard let text = ProcessInfo.processInfo.environment[environment], !text.isEmpty else {
                throw Failure(.refused, "\(self.text) is not set")
            }
            guard text.utf8.count <= SecretSize.file else { throw Failure(.refused, SecretSize.fileRule) }
            return Data(text.utf8)
        }
        return try SecretInput.descriptor(descriptor ?? -1)
    }
}
