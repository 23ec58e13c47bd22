import ArgumentParser
import Foundation
import Management
import StoreSQLite

/// `martlet-server rekey`: wraps the keys of all secrets under a new master key, while a server serves or without one.
struct Rekey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Make a new master key and wrap the keys of all secrets under it; a running server goes on.",
        discussion: """
            The older keys stay in the file, behind the new one, because older backups of the database need them; \
            --forget-older removes them.
            A master key in the environment (MARTLET_MASTER_KEY) is replaced by starting the server with the new key \
            in front of the old one: it wraps everything again before it serves.
            """)

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @Flag(help: "Remove the older keys from the file when everything is wrapped under the new one.")
    var forgetOlder = false

    func run() async throws {
        let settings = try await Settings(place, options)
        let directory = try DataDirectory(existing: settings.dataDirectory)
        let source = try MasterKeySource(directory)
        guard case .file(let file) = source.place else {
            throw Refusal(
                rule: "the master key is not in a file of ours: start the server with a new key before the old")
        }
        // Two at once would each write a file without the other's key.
        let lock = try RekeyLock(directory)
        defer { lock.release() }
        _ = try source.keys()
        let older = try source.text()
        let new = MasterKeys.newKeyText()
        do { _ = try MasterKeys(parsing: new + "\n" + older) } catch {
            throw Refusal(rule: "the file holds as many older keys as it may: remove those no backup needs")
        }
        guard FileManager.default.fileExists(atPath: directory.databasePath) else {
            throw Refusal(rule: "there is no database in the data directory")
        }
        let store: SQLiteStore
        do {
            store = try SQLiteStore(path: directory.databasePath, ownership: .besideServer)
        } catch {
            throw directory.refusal(opening: error)
        }
        defer { try? store.close() }
        guard try await store.masterKeyIDsOnRecord().isSubset(of: source.identifiers()) else {
            throw Refusal(rule: UnlockRefusal.keyMissing.description)
        }
        // The key is on the disk before anything depends on it.
        try directory.write(new + "\n" + older, to: file)
        let management = Management(
            store: store, settings: .init(baseURL: settings.baseURL(port: settings.port), organization: ""),
            masterKeys: try await source.ring(for: store))
        let count = try await management.rewrapSecrets()
        if forgetOlder { try directory.write(new + "\n", to: file) }
        print("wrapped \(count) secret\(count == 1 ? "" : "s") under the new master key")
    }
}

/// Keeps a second `rekey` away.
private struct RekeyLock {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws {
        let path = directory.url.appending(path: "rekey.lock").path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw directory.unwritten(errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Refusal(rule: "another rekey is under way")
        }
    }

    func release() { close(descriptor) }
}
