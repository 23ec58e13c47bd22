import ArgumentParser
import Foundation
import Management
import ServerHTTP
import StoreSQLite

/// `martlet-server backup`: a copy of what cannot be made anew but for the master key, made while the server serves.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy what the server keeps to a new directory; a running server goes on.",
        discussion: """
            The copy is of one moment: what the server acknowledged before this command began is in it: the database, \
            the packages, the authorities with their keys, so keep it as you keep those. The master key is not in it: \
            keep that elsewhere, because anyone with both can read every secret, and without it nobody can. Neither is \
            the server's own certificate: one that the server issued it issues anew, and files that the operator names \
            are theirs to keep, as the settings are. What else lies in the data directory is named and left out.
            While the database is copied its log grows with each change, so a copy that takes too long is ended. So is a \
            backup that comes no further because a disk does not answer; what there is of it stays as <target>.partial. \
            The copy is looked over as martlet-server check does; of a damaged database there is no backup.
            """)

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @OptionGroup(title: "Limits") var limits: BackupLimitOptions

    @Argument(help: "The directory to make, outside the data directory; it must not be there yet.")
    var target: String

    func run() async throws {
        let settings = try await Settings(place, options)
        let directory = try DataDirectory(existing: settings.dataDirectory)
        guard FileManager.default.fileExists(atPath: directory.databasePath) else {
            throw Refusal(rule: "there is no database in the data directory")
        }
        let target = URL(filePath: target, directoryHint: .isDirectory).absoluteURL
        let watch = StandstillWatch.begin(
            limits.bounds.pause + Self.copyGrace, "the backup",
            consequence: "There is no backup: if \(target.path).partial is there, remove it.")
        guard !Self.isInside(target, directory.url) else {
            throw Refusal(
                rule: """
                    \(target.path) is inside the data directory \(directory.url.path): name a directory elsewhere, at best \
                    on another disk
                    """)
        }
        guard !FileManager.default.fileExists(atPath: target.path) else {
            throw Refusal(rule: "\(target.path) is there already: a backup is a directory of its own")
        }
        let draft = URL(filePath: target.path + ".partial", directoryHint: .isDirectory)
        guard unsafe mkdir(draft.path, 0o700) == 0 else {
            throw Refusal(
                rule: errno == EEXIST
                    ? "\(draft.path) is what is left of a backup that was cut off, or one is under way: remove it if not"
                    : "\(draft.path) cannot be made: \(DigestedFile.reason(errno))")
        }
        do {
            let manifest = try await fill(draft, from: directory)
            guard unsafe rename(draft.path, target.path) == 0 else {
                throw Refusal(rule: "\(target.path) cannot be made: \(DigestedFile.reason(errno))")
            }
            try DigestedFile.syncDirectory(target.deletingLastPathComponent())
            watch.end()
            let bytes = manifest.files.map(\.size).reduce(0, +)
            print("backup of \(manifest.files.count) files, \(bytes) bytes, in \(target.path)")
            for line in try Self.leftOut(of: directory, settings) { print(line) }
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }

    /// Whether a directory that is to be made would lie in another one, by whatever links it is named.
    private static func isInside(_ target: URL, _ directory: URL) -> Bool {
        let parent = target.deletingLastPathComponent().resolvingSymlinksInPath().path.split(separator: "/")
        return parent.starts(with: directory.resolvingSymlinksInPath().path.split(separator: "/"))
    }

    /// A copy of the database that is stuck ends the process by itself, with a better reason, within this time.
    private static let copyGrace: Duration = .seconds(10)

    /// What the backup does not have, each with what to do about it.
    private static func leftOut(of directory: DataDirectory, _ settings: Settings) throws -> [String] {
        var lines = ["the master key is not in it: keep it elsewhere"]
        if let own = settings.certificateFiles {
            let names = own.key == own.certificate ? own.certificate : "\(own.certificate) and \(own.key)"
            lines.append("the server's certificate and its key are not in it: keep \(names) elsewhere")
        } else {
            lines.append("the server's certificate is not in it: the server issues another")
        }
        let known =
            DataDirectory.authorityFiles
            + ["", "-wal", "-shm", ".lock"].map { BackupManifest.database + $0 }
            + [BackupManifest.packages, "master.key", "rekey.lock", DataDirectory.issuedCertificateFile]
        let others = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { name in
            !known.contains(name) && directory.url.appending(path: name).path != settings.certificateFiles?.certificate
                && directory.url.appending(path: name).path != settings.certificateFiles?.key
        }
        if !others.isEmpty {
            let names = others.sorted().joined(separator: ", ")
            lines.append("what else lies in the data directory is not in it: \(names)")
        }
        return lines
    }

    private func fill(_ draft: URL, from directory: DataDirectory) async throws -> BackupManifest {
        let store: SQLiteStore
        do {
            store = try SQLiteStore(path: directory.databasePath, ownership: .reading)
        } catch {
            throw directory.refusal(opening: error)
        }
        defer { try? store.close() }
        let progress = ProgressLine(of: "database")
        let made = Date()
        let database = draft.appending(path: BackupManifest.database)
        let packages: [String]
        do {
            packages = try await store.copy(
                to: database.path, within: limits.bounds, stuck: { Self.giveUp($0, draft) },
                progress: { progress.at($0, of: $1) })
        } catch let fault as CopyFault {
            progress.end()
            throw Self.refusal(fault, draft)
        } catch let damage as StoreDamage {
            progress.end()
            throw Refusal(rule: "\(damage). There is no backup")
        } catch {
            progress.end()
            throw Refusal(
                rule: "the database \(directory.databasePath) cannot be copied: \(StoreErrorText.reason(error))")
        }
        progress.end()
        let facts = try DigestedFile.facts(of: database)
        var files = [BackupManifest.File(path: BackupManifest.database, size: facts.size, sha256: facts.sha256)]
        for name in DataDirectory.authorityFiles {
            files.append(try add(name, from: directory.url, to: draft))
        }
        files += try await copyPackages(packages, from: directory, to: draft, store)
        let manifest = BackupManifest(made: made, files: files)
        try DigestedFile.write(manifest.encoded, to: draft.appending(path: BackupManifest.name))
        for place in [draft.appending(path: BackupManifest.packages), draft] {
            try DigestedFile.syncDirectory(place)
        }
        return manifest
    }

    /// Why there is no backup, and what to do about it.
    private static func refusal(_ fault: CopyFault, _ draft: URL) -> Refusal {
        let place = draft.deletingLastPathComponent().path
        let wayOn =
            switch fault {
            case .logGrew: "make room, back up while fewer changes are made, or allow more with --log-limit"
            case .stalled: "look at the disk of the backup, or allow more with --stall-limit"
            case .tooLong: "back up to a faster disk, or allow more with --time-limit"
            case .damaged: StoreDamage.remedy
            case .target(.full): "make room on the disk of \(place), or name a directory on another disk"
            case .target: "look at \(place) and its disk, or name a directory on another disk"
            }
        return Refusal(rule: "\(fault). There is no backup: \(wayOn)")
    }

    /// Ends the process over a disk that takes nothing: as long as it runs, the server's log cannot be emptied.
    private static func giveUp(_ fault: CopyFault, _ draft: URL) {
        let words = "\nmartlet-server: \(refusal(fault, draft)). What is left of it is \(draft.path): remove it.\n"
        try? FileHandle.standardError.write(contentsOf: Data(words.utf8))
        // Removing may wait for that disk as writing does.
        Thread.detachNewThread {
            try? FileManager.default.removeItem(at: draft)
            _exit(1)
        }
        Thread.sleep(forTimeInterval: 2)
        _exit(1)
    }

    private func copyPackages(
        _ digests: [String], from directory: DataDirectory, to draft: URL, _ store: SQLiteStore
    ) async throws -> [BackupManifest.File] {
        guard unsafe mkdir(draft.appending(path: BackupManifest.packages).path, 0o700) == 0 else {
            throw Refusal(rule: "\(draft.path) cannot be written: \(DigestedFile.reason(errno))")
        }
        let progress = ProgressLine(of: "packages")
        defer { progress.end() }
        var files: [BackupManifest.File] = []
        for (index, digest) in digests.enumerated() {
            let path = "\(BackupManifest.packages)/\(digest)"
            do {
                let file = try add(path, from: directory.url, to: draft)
                guard file.sha256 == digest else { throw Refusal(rule: "package \(digest) is not what it was") }
                files.append(file)
            } catch {
                // One that was removed since the database was copied: nothing names it, so the copy can do without.
                guard try await store.package(digest) == nil else { throw error }
                try? FileManager.default.removeItem(at: draft.appending(path: path))
            }
            progress.at(index + 1, of: digests.count)
        }
        return files
    }

    private func add(_ path: String, from source: URL, to draft: URL) throws -> BackupManifest.File {
        let facts = try DigestedFile.copy(source.appending(path: path), to: draft.appending(path: path))
        return BackupManifest.File(path: path, size: facts.size, sha256: facts.sha256)
    }
}

/// How long a backup may keep the server's log from being emptied.
struct BackupLimitOptions: ParsableArguments {
    @Option(
        help: "How long copying the database may take: a number with s, m, h or d (1h).",
        transform: LifetimeText.option)
    var timeLimit: LifetimeText?

    @Option(
        help: "How long it may make no progress, because a disk does not answer: a number with s, m, h or d (5m).",
        transform: LifetimeText.option)
    var stallLimit: LifetimeText?

    @Option(help: "How many MiB the database's log may grow meanwhile (256, or the database's size if that is more).")
    var logLimit: Int?

    func validate() throws {
        guard [timeLimit, stallLimit].allSatisfy({ $0.map { $0.seconds >= 1 } ?? true }) else {
            throw ValidationError("A limit of time is 1s or more.")
        }
        guard logLimit.map((1...1_048_576).contains) ?? true else {
            throw ValidationError("The limit of the log is from 1 to 1048576 MiB.")
        }
    }

    var bounds: CopyBounds {
        var bounds = CopyBounds()
        if let timeLimit { bounds.time = .seconds(timeLimit.seconds) }
        if let stallLimit { bounds.pause = .seconds(stallLimit.seconds) }
        bounds.logGrowth = logLimit.map { $0 << 20 }
        return bounds
    }
}
