import AppMessages
import CLinux
package import DeviceAgent
import Foundation
import InputBounds

/// The secrets that a developer gives the app, out of a file that nobody else may read.
package struct SecretsFile: Sendable {
    /// Why none are given; nothing of what is in the file.
    package enum Refusal: Error, Equatable, Sendable {
        /// Others may read it, or it is not there: no secret of it is given any more.
        case unprotected(String)
        /// It cannot be understood; what was read before serves on.
        case malformed(String)

        package var rule: String {
            switch self {
            case .unprotected(let rule), .malformed(let rule): rule
            }
        }
    }

    /// Which there are.
    package let names: AppSecrets
    /// What they are, by what they are kept under.
    package let contents: [String: SecretContent]

    package static let none = SecretsFile(names: AppSecrets(), contents: [:])

    // A few passwords and paths.
    private static let limits = InputLimits(bytes: 1_048_576, depth: 8, objects: 10_000)
    private static let largestIdentity = 1_048_576

    private init(names: AppSecrets, contents: [String: SecretContent]) {
        (self.names, self.contents) = (names, contents)
    }

    /// Reads a file, and the certificates and identities that it names, which lie beside it.
    package init(at path: String) throws(Refusal) {
        let data = try Self.guarded(path, most: Self.limits.bytes)
        defer { data.wipe() }
        let document: Document
        do {
            let value = try JSONValue(parsing: data, limits: Self.limits)
            // A kind that is misspelt would be a secret that is missing in silence.
            guard let kinds = value.object?.keys, Set(kinds).isSubset(of: Document.kinds) else {
                throw Refusal.malformed(Self.complaint(ofMembers: value.object.map { Array($0.keys) }))
            }
            document = try value.decoded(as: Document.self)
        } catch let refusal as Refusal {
            throw refusal
        } catch let refusal as InputRefusal {
            throw .malformed("this is no acceptable JSON: \(refusal.sentence)")
        } catch {
            throw .malformed(Self.complaint(ofValue: error))
        }
        let folder = (path as NSString).deletingLastPathComponent
        var entries: [AppSecrets.Entry] = []
        var contents: [String: SecretContent] = [:]
        func keep(_ identifier: String, _ content: SecretContent) throws(Refusal) {
            guard (1...255).contains(identifier.utf8.count), let bytes = try? content.encoded() else {
                throw .malformed("an identifier has 1 to 255 bytes")
            }
            defer { bytes.wipe() }
            let digest = AppState.version(of: bytes)
            entries.append(AppSecrets.Entry(content.kind, identifier, digest: digest))
            contents[digest] = content
        }
        for (identifier, password) in (document.passwords ?? [:]).sorted(by: { $0.key < $1.key }) {
            try keep(identifier, .password(password))
        }
        for (identifier, file) in (document.certificates ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard
                case .bytes(let bytes)? = FoundFile.read(
                    Self.path(file, in: folder), most: SecretProvisioner.largestCertificate)
            else { throw .malformed("the file of the certificate \(identifier) cannot be read") }
            try keep(
                identifier,
                .certificate(
                    try Self.usable { () throws(AssetRefusal) in
                        try SecretProvisioner.certificate(bytes)
                    }))
        }
        for (identifier, identity) in (document.identities ?? [:]).sorted(by: { $0.key < $1.key }) {
            let bytes = try Self.guarded(Self.path(identity.file, in: folder), most: Self.largestIdentity)
            defer { bytes.wipe() }
            try keep(
                identifier,
                .identity(
                    try Self.usable { () throws(AssetRefusal) in
                        try SecretProvisioner.identity(pkcs12: bytes, password: identity.password ?? "")
                    }))
        }
        self.init(names: AppSecrets(entries), contents: contents)
    }

    /// Which member is not known; no member where the file holds no object.
    private static func complaint(ofMembers members: [String]?) -> String {
        let known = "it is an object with nothing but passwords, certificates and identities"
        guard let unknown = (members ?? []).filter({ !Document.kinds.contains($0) }).min() else { return known }
        let meant = NearestWord.to(unknown, among: Document.kinds).map { " (did you mean \"\($0)\"?)" } ?? ""
        return "it has a member that is not known: \"\(unknown)\"\(meant); \(known)"
    }

    /// Which member is of another type, and of which type each is.
    private static func complaint(ofValue error: any Error) -> String {
        let types = "a password is a text, a certificate a path, an identity an object with file and password"
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            default: nil
            }
        let place = (context?.codingPath ?? []).map(\.stringValue).joined(separator: ".")
        return place.isEmpty ? types : "\(place) is of another type: \(types)"
    }

    private static func usable<Value>(_ body: () throws(AssetRefusal) -> Value) throws(Refusal) -> Value {
        do {
            return try body()
        } catch {
            throw .malformed(error.sentence)
        }
    }

    private static func path(_ file: String, in folder: String) -> String {
        file.hasPrefix("/") ? file : (folder.isEmpty ? "." : folder) + "/" + file
    }

    /// The bytes of a file of ours that nobody else may read: what is judged is what is read.
    private static func guarded(_ path: String, most: Int) throws(Refusal) -> Data {
        let name = (path as NSString).lastPathComponent
        guard case .opened(let handle, let facts)? = OpenedFile(path) else {
            throw .unprotected("\(name) cannot be opened, or is no file")
        }
        guard facts.owner == geteuid() else { throw .unprotected("\(name) belongs to another user") }
        guard facts.mode & 0o077 == 0 else {
            throw .unprotected("other users may read or change \(name), which holds secrets: chmod 600 \(name)")
        }
        guard let bytes = try? handle.read(upToCount: most + 1), bytes.count <= most else {
            throw .malformed("\(name) is empty, or has more than \(most) bytes")
        }
        return bytes
    }

    private struct Document: Decodable {
        static let kinds: Set<String> = ["passwords", "certificates", "identities"]

        struct Identity: Decodable {
            let file: String
            let password: String?
        }

        let passwords: [String: String]?
        let certificates: [String: String]?
        let identities: [String: Identity]?
    }
}
