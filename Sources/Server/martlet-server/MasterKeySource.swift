import Foundation
import Management
import StoreSQLite

/// Where the master keys are: the environment, a file it names, a credential, or `master.key` in the data directory.
struct MasterKeySource: Sendable {
    enum Place: Sendable, Equatable {
        case environment
        case file(URL)
        /// A copy in memory that systemd made for this start alone.
        case credential(URL)
    }

    private static let variable = "MARTLET_MASTER_KEY"

    let place: Place
    private let directory: DataDirectory

    init(_ directory: DataDirectory) throws {
        self.directory = directory
        let environment = ProcessInfo.processInfo.environment
        switch (environment[Self.variable], environment["\(Self.variable)_FILE"], Self.credential(environment)) {
        case (.some, nil, nil): place = .environment
        case (nil, let path?, nil): place = .file(URL(filePath: path))
        case (nil, nil, let file?): place = .credential(file)
        case (nil, nil, nil): place = .file(directory.url.appending(path: "master.key"))
        case (.some, .some, _):
            throw Refusal(
                rule: "MARTLET_MASTER_KEY and MARTLET_MASTER_KEY_FILE are set both; one says where the key is")
        default:
            throw Refusal(rule: "a master key is in the environment and in the credentials; one says where the key is")
        }
    }

    /// The file that `LoadCredential=` of the service's unit makes, if it found something to load.
    private static func credential(_ environment: [String: String]) -> URL? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else { return nil }
        let file = URL(filePath: directory).appending(path: "martlet-server.master-key")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    /// The keys, which can be read again while the server runs.
    ///
    /// A first start makes one in the data directory. A later one must not, whether it finds secrets or not: what was
    /// sealed would be lost in silence, and the key of before would be refused when it is put back.
    func ring(for store: SQLiteStore) async throws -> MasterKeyRing {
        if case .file(let file) = place, file.deletingLastPathComponent().path == directory.url.path,
            try read(file) == nil
        {
            guard try await store.masterKeyIDsOnRecord().isEmpty else {
                throw Refusal(rule: UnlockRefusal.keyMissing.description)
            }
            try directory.write(MasterKeys.newKeyText() + "\n", to: file)
        }
        return try MasterKeyRing { try keys() }
    }

    /// The names of the keys that are here; none where the file is not there.
    func identifiers() throws -> Set<String> {
        if case .file(let file) = place, try read(file) == nil { return [] }
        let keys = try keys()
        return Set(([keys.current] + keys.older).map(\.id))
    }

    /// The keys as they stand now.
    ///
    /// Where there are none, the refusal says where, what was found there, and what to do.
    func keys() throws -> MasterKeys {
        let bytes = try bytes()
        do throws(MasterKeyRefusal) {
            return try MasterKeys(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw refusal(error, of: bytes)
        }
    }

    /// The text in which the keys stand now.
    func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

    private func bytes() throws -> Data {
        switch place {
        case .environment: return Data((ProcessInfo.processInfo.environment[Self.variable] ?? "").utf8)
        case .credential(let file):
            // Whom it is open to is the service manager's work: it may be by an entry in an access list.
            guard let bytes = try read(file) else {
                throw Refusal(rule: "the credential of the master key is not there")
            }
            return bytes
        case .file(let file):
            guard let bytes = try read(file) else {
                throw Refusal(
                    rule: "the file of the master key is not there: put \(file.lastPathComponent) back; if it is lost, "
                        + "martlet-server forget-secrets goes on without the secrets that it opens")
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
                throw Refusal(
                    rule: "the file \(file.path) of the master key must be open to its owner alone (chmod 600)")
            }
            return bytes
        }
    }

    /// What a file holds, or nothing if there is none; one that cannot be read must not be taken for missing.
    private func read(_ file: URL) throws -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw Refusal(
                rule: "the file \(file.path) of the master key cannot be read: it must be a file that is open to the "
                    + "user that the server runs as")
        }
    }

    private func refusal(_ refusal: MasterKeyRefusal, of bytes: Data) -> Refusal {
        let found =
            switch refusal {
            case .missing where bytes.isEmpty: "is empty (0 bytes)"
            case .missing: "holds no master key (\(bytes.count) bytes)"
            case .notAKey: "holds something other than a master key, which is 32 bytes in Base64 (\(bytes.count) bytes)"
            case .tooMany: "holds more than \(MasterKeys.most) master keys (\(bytes.count) bytes)"
            }
        let name =
            switch place {
            case .environment: Self.variable
            case .file(let file), .credential(let file): "the file \(file.path) of the master key"
            }
        return Refusal(
            rule: "\(name) \(found): put the copy of the key there; if there is no copy, take this one away, and "
                + "martlet-server forget-secrets goes on without the secrets that the key opens")
    }
}
