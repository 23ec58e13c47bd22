import Foundation
import Management
import StoreSQLite

/// Where the master keys are: the environment, a file it names, or `master.key` in the data directory.
struct MasterKeySource: Sendable {
    enum Place: Sendable, Equatable {
        case environment
        case file(URL)
    }

    private static let variable = "MARTLET_MASTER_KEY"

    let place: Place
    private let directory: DataDirectory

    init(_ directory: DataDirectory) throws {
        self.directory = directory
        let environment = ProcessInfo.processInfo.environment
        switch (environment[Self.variable], environment["\(Self.variable)_FILE"]) {
        case (.some, .some):
            throw Refusal(
                rule: "MARTLET_MASTER_KEY and MARTLET_MASTER_KEY_FILE are set both; one says where the key is")
        case (.some, nil): place = .environment
        case (nil, let path?): place = .file(URL(filePath: path))
        case (nil, nil): place = .file(directory.url.appending(path: "master.key"))
        }
    }

    /// The keys, which can be read again while the server runs.
    ///
    /// A first start makes one in the data directory. A later one must not: what was sealed would be lost in silence.
    func ring(for store: SQLiteStore) async throws -> MasterKeyRing {
        if case .file(let file) = place, file.deletingLastPathComponent().path == directory.url.path,
            try directory.read(file) == nil
        {
            guard try await store.masterKeyIDsInUse().isEmpty else {
                throw Refusal(rule: UnlockRefusal.keyMissing.description)
            }
            try directory.write(MasterKeys.newKeyText() + "\n", to: file)
        }
        do {
            return try MasterKeyRing { try MasterKeys(parsing: text()) }
        } catch let refusal as MasterKeyRefusal {
            throw Refusal(rule: "the master key: \(refusal)")
        }
    }

    /// The keys as they stand now.
    func text() throws -> String {
        switch place {
        case .environment: return ProcessInfo.processInfo.environment[Self.variable] ?? ""
        case .file(let file):
            guard let text = try directory.read(file) else {
                throw Refusal(rule: "the file of the master key is not there")
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
                throw Refusal(rule: "the file of the master key must be open to its owner alone (chmod 600)")
            }
            return text
        }
    }
}
