import ArgumentParser
import Foundation
import Management
import ServerHTTP
import StoreSQLite

/// `martlet-server check`: whether a data directory is whole, while a server serves from it or not.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look whether everything the server keeps is there and whole; ends with 1 if it is not.",
        discussion: """
            It checks the database by SQLite's own check, the chain of the audit log, the authorities' certificates with \
            their keys, the master keys on record, and each package by its digest. \
            Of the server's certificate it checks the key, the names and the dates. That is the certificate that `run` \
            would take with the same options, environment and settings file, and its file is printed: give this command \
            the --certificate-file, --key-file, --hostname and --url that the service has. Without --certificate-file it \
            is the one that the server issues to itself. With a backup's directory it looks whether the backup is what \
            was written. Nothing is made or changed.
            """)

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @OptionGroup(title: "Limits") var standstill: StandstillOptions

    @Argument(help: "A backup; without it the server's own data directory is looked at.")
    var backup: String?

    func run() async throws {
        let settings = try await Settings(place, options)
        let watch = StandstillWatch.begin(
            standstill.limit, "the check", consequence: "Nothing was made or changed.")
        let faults: [String]
        if let backup {
            faults = try await Self.faults(ofBackup: URL(filePath: backup, directoryHint: .isDirectory).absoluteURL)
        } else {
            let directory = try DataDirectory(existing: settings.dataDirectory)
            faults = try await Self.faults(of: directory, settings)
        }
        watch.end()
        for fault in faults { print(fault) }
        // Options of the service that were not given to this command may name another one.
        if backup == nil, let files = settings.certificateFiles { print("certificate: \(files.certificate)") }
        guard faults.isEmpty else { throw ExitCode(1) }
        print("whole")
    }

    private static func faults(ofBackup source: URL) async throws -> [String] {
        let manifest = try Restore.manifest(of: source)
        var faults: [String] = []
        for file in manifest.files {
            let facts = try? DigestedFile.facts(of: source.appending(path: file.path))
            if facts.map({ $0 == (file.size, file.sha256) }) != true {
                faults.append("\(file.path) is not what it was")
            }
        }
        guard faults.isEmpty else { return faults }
        let database = source.appending(path: BackupManifest.database).path
        return try await SQLiteStore.faults(ofFile: database, isServed: false).map { "\(database): \($0)" }
    }

    private static func faults(of directory: DataDirectory, _ settings: Settings) async throws -> [String] {
        var faults: [String] = []
        for purpose in [DataDirectory.Purpose.devices, .identities] where directory.hasFiles(of: purpose) {
            do { _ = try directory.storedAuthority(for: purpose) } catch let refusal as Refusal {
                faults.append(refusal.rule)
            }
        }
        if let files = settings.certificateFiles {
            faults += files.faults(for: settings.requiredNames, now: Date())
        } else {
            faults += directory.certificateFaults()
        }
        guard directory.hasDatabase else { return faults + lost(in: directory, with: .missing) }
        let found = try await SQLiteStore.faults(ofFile: directory.databasePath, isServed: true)
        guard found.isEmpty else {
            let rules = found.map { $0.rule(of: directory.databasePath) }
            return faults + lost(in: directory, with: .inUse) + rules
        }
        let store: SQLiteStore
        do { store = try SQLiteStore(path: directory.databasePath, ownership: .reading) } catch {
            let reason =
                error is OtherSchema
                ? "the database was written by an older version of the server: a start brings it up to date"
                : directory.refusal(opening: error).rule
            return faults + lost(in: directory, with: .inUse) + [reason]
        }
        defer { try? store.close() }
        let isInUse = try await store.isInUse()
        faults += lost(in: directory, with: isInUse ? .inUse : .unused)
        return try await faults + contents(of: store, directory, settings)
    }

    /// What a start would refuse, or has to make yet.
    private static func lost(in directory: DataDirectory, with database: DirectoryFacts.Database) -> [String] {
        switch directory.start(with: database) {
        case .serving: []
        case .making where database == .missing:
            ["there is no database in the data directory, and no authority: a first start makes them"]
        case .making: ["a first start was not finished: start the server again"]
        case .refused(let lost): [lost.description]
        }
    }

    private static func contents(
        of store: SQLiteStore, _ directory: DataDirectory, _ settings: Settings
    ) async throws -> [String] {
        var faults: [String] = []
        do {
            let needed = try await store.masterKeyIDsOnRecord()
            let source = try MasterKeySource(directory)
            let keys = needed.isEmpty ? nil : try source.keys()
            if let keys, !needed.allSatisfy({ keys.key($0) != nil }) {
                faults.append(UnlockRefusal.keyMissing.description)
            }
            let management = Management(
                store: store, settings: .init(baseURL: settings.baseURL(port: settings.port), organization: ""),
                masterKeys: try MasterKeyRing { try keys ?? MasterKeys(parsing: MasterKeys.newKeyText()) })
            if try await management.verifyAudit().fault != nil {
                faults.append("the audit log was changed: martlet audit verify says where")
            }
        } catch let refusal as Refusal {
            faults.append(refusal.rule)
        }
        let progress = ProgressLine(of: "packages")
        defer { progress.end() }
        let packages = try await store.packagesInUse()
        for (index, digest) in packages.enumerated() {
            let file = URL(filePath: directory.packagesPath).appending(path: digest)
            if (try? DigestedFile.facts(of: file))?.sha256 != digest {
                faults.append("package \(digest) is missing or not what it was")
            }
            progress.at(index + 1, of: packages.count)
        }
        return faults
    }
}
