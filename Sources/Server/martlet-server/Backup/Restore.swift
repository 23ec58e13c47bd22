import ArgumentParser
import Foundation
import Management
import StoreSQLite

/// `martlet-server restore`: makes a data directory of a backup.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup into an empty data directory.",
        discussion: """
            Everything is checked against what the backup says of itself before any of it is used; a backup that is \
            refused leaves an empty directory empty. A restore that was \
            cut off is finished by running it again; until then the server does not start. The master key is not in a \
            backup: put it where the server looks for it before you start it. Without it the server does not start \
            either; if it is lost, martlet-server forget-secrets goes on without the secrets.
            What was done after the backup is lost, and devices may have done it all the same. A restore begins an era: \
            devices fetch everything once more, and commands that act on a device and were unfinished in the backup are \
            not sent again. The end of the output shows what that means for this fleet.
            """)

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @OptionGroup(title: "Limits") var standstill: StandstillOptions

    @Argument(help: "The directory that martlet-server backup made.")
    var source: String

    func run() async throws {
        let settings = try await Settings(place, options)
        let source = URL(filePath: source, directoryHint: .isDirectory).absoluteURL
        let watch = StandstillWatch.begin(
            standstill.limit, "the restore",
            consequence: "The server does not start until it is finished: run it again.")
        let manifest = try Self.manifest(of: source)
        let before = try? FileManager.default.contentsOfDirectory(atPath: settings.dataDirectory)
        let directory = try DataDirectory(path: settings.dataDirectory)
        let lock = try Self.lock(directory)
        defer { lock.release() }
        let isCutOff = FileManager.default.fileExists(atPath: directory.restoring.path)
        try Self.clear(directory)
        let consequences: RestoreConsequences
        do {
            consequences = try await Self.fill(directory, with: manifest, from: source)
        } catch let refusal as Refusal where isCutOff {
            throw Refusal(
                rule: """
                    \(refusal.rule). An earlier restore was not finished, so the server does not start: restore another \
                    backup, or remove \(directory.restoring.path)
                    """)
        } catch {
            if !isCutOff { Self.removeWhatWasMade(in: directory, before: before) }
            throw error
        }
        try Self.move(out: directory.restoring, to: directory)
        watch.end()
        let moment = manifest.made.formatted(.iso8601)
        print("restored \(manifest.files.count) files of \(moment) to \(directory.url.path)")
        for line in Self.meaning(of: consequences) { print(line) }
        if try directory.read(directory.url.appending(path: "master.key")) == nil {
            print("put the master key there too, as master.key, unless the server finds it elsewhere")
            print("if it is lost, martlet-server forget-secrets goes on without the secrets")
        }
    }

    /// Puts everything into a folder of the directory, and says there what happened.
    private static func fill(
        _ directory: DataDirectory, with manifest: BackupManifest, from source: URL
    ) async throws -> RestoreConsequences {
        let draft = directory.restoring
        guard unsafe mkdir(draft.path, 0o700) == 0 || errno == EEXIST else {
            throw directory.unwritten(errno)
        }
        // The folder is written first: a server does not start while it exists.
        try DigestedFile.syncDirectory(directory.url)
        guard unsafe mkdir(draft.appending(path: BackupManifest.packages).path, 0o700) == 0 else {
            throw directory.unwritten(errno)
        }
        try copy(manifest, from: source, to: draft)
        let database = draft.appending(path: BackupManifest.database).path
        if let fault = try await SQLiteStore.faults(ofFile: database, isServed: false).first {
            throw Refusal(rule: "\(source.appending(path: BackupManifest.database).path): \(fault)")
        }
        return try await beginEra(after: manifest.made, in: database)
    }

    /// Leaves the directory as a refused restore found it.
    private static func removeWhatWasMade(in directory: DataDirectory, before: [String]?) {
        let files = FileManager.default
        try? files.removeItem(at: directory.restoring)
        let lock = directory.databasePath + lockSuffix
        let left = try? files.contentsOfDirectory(atPath: directory.url.path)
        // Where something else lies, a server may wait for the lock.
        guard before?.isEmpty ?? true, left == [BackupManifest.database + lockSuffix] else { return }
        try? files.removeItem(atPath: lock)
        // It removes no directory in which something lies.
        if before == nil { _ = unsafe rmdir(directory.url.path) }
    }

    static func manifest(of source: URL) throws -> BackupManifest {
        let file = source.appending(path: BackupManifest.name)
        guard let handle = try? FileHandle(forReadingFrom: file),
            let bytes = try? handle.read(upToCount: (32 << 20) + 1)
        else { throw Refusal(rule: "\(source.path) is not a backup: it has no \(BackupManifest.name)") }
        return try BackupManifest(parsing: bytes)
    }

    /// Keeps a server and a second restore out of the directory: it is the lock of the server's database.
    private static func lock(_ directory: DataDirectory) throws -> FileLock {
        do {
            return try FileLock(path: directory.databasePath + lockSuffix)
        } catch is StoreInUse {
            throw Refusal(
                rule: """
                    the data directory is in use, by a server or by another restore: stop the server, or wait until the \
                    other restore has ended
                    """)
        } catch {
            throw directory.refusal(opening: error)
        }
    }

    private static let lockSuffix = ".lock"

    /// Removes the remains of an interrupted restore, except its folder, and of a first start that never served; refuses a
    /// directory with anything else.
    ///
    /// The folder shows that a restore must be finished: without it, the server would start as a new one.
    private static func clear(_ directory: DataDirectory) throws {
        let files = FileManager.default
        let isCutOff = files.fileExists(atPath: directory.restoring.path)
        // Before the names are listed: reading a database may make files beside it.
        let ofFirstStart = directory.isFirstStartUnfinished ? DataDirectory.firstStartFiles : []
        let database = BackupManifest.database
        let ours: [String] =
            ["", "-journal", "-wal", "-shm"].map { database + $0 } + [BackupManifest.packages]
            + DataDirectory.authorityFiles
        let before = Set(["master.key", database + lockSuffix, directory.restoring.lastPathComponent])
        let found = Set(try files.contentsOfDirectory(atPath: directory.url.path)).subtracting(before)
        let remains = RestoreRemains(
            beside: found,
            inFolder: isCutOff
                ? Set(try files.contentsOfDirectory(atPath: directory.restoring.path))
                    .subtracting([database + lockSuffix]) : nil,
            ours: Set(ours), ofFirstStart: Set(ofFirstStart))
        if let name = remains.foreign {
            throw Refusal(
                rule: """
                    the data directory is not empty: \(name) was left by no restore and by no first start; move what is in it \
                    elsewhere first
                    """)
        }
        for name in ours + ofFirstStart.filter({ !ours.contains($0) }) where found.contains(name) {
            try files.removeItem(at: directory.url.appending(path: name))
        }
        guard isCutOff else { return }
        for name in try files.contentsOfDirectory(atPath: directory.restoring.path) {
            try files.removeItem(at: directory.restoring.appending(path: name))
        }
    }

    private static func copy(_ manifest: BackupManifest, from source: URL, to draft: URL) throws {
        let progress = ProgressLine(of: "restore")
        defer { progress.end() }
        for (index, file) in manifest.files.enumerated() {
            let facts = try DigestedFile.copy(source.appending(path: file.path), to: draft.appending(path: file.path))
            guard facts == (file.size, file.sha256) else {
                throw Refusal(rule: "\(file.path) of the backup is not what was put there")
            }
            progress.at(index + 1, of: manifest.files.count)
        }
    }

    /// Says in the database what happened; this also brings the schema up to date.
    private static func beginEra(after made: Date, in database: String) async throws -> RestoreConsequences {
        let store = try SQLiteStore(path: database)
        let era = Era(random: Management.systemRandom(16), copied: made, began: Date())
        let consequences = try await store.beginEra(era)
        try store.close()
        try? FileManager.default.removeItem(atPath: database + lockSuffix)
        return consequences
    }

    /// What a restore means for the fleet, a line for each thing that an operator may have to see to.
    static func meaning(of consequences: RestoreConsequences) -> [String] {
        [
            "devices in the backup: \(consequences.devices); they fetch everything once more, as a new era began",
            "devices that may have renewed their identity since: \(consequences.mayHaveRenewed); the guide says who is let in",
            "commands retired, which are not sent again: \(consequences.retiredCommands)",
            "secrets that devices fetch anew: \(consequences.secrets)",
            "devices that enrolled after the backup are not known: they must enroll again",
        ]
    }

    private static func move(out draft: URL, to directory: DataDirectory) throws {
        try DigestedFile.syncDirectory(draft.appending(path: BackupManifest.packages))
        try DigestedFile.syncDirectory(draft)
        for name in try FileManager.default.contentsOfDirectory(atPath: draft.path) {
            let (old, new) = (draft.appending(path: name).path, directory.url.appending(path: name).path)
            guard unsafe rename(old, new) == 0 else { throw directory.unwritten(errno) }
        }
        try DigestedFile.syncDirectory(directory.url)
        guard unsafe rmdir(draft.path) == 0 else { throw directory.unwritten(errno) }
        try DigestedFile.syncDirectory(directory.url)
    }
}
