import Foundation
import InputBounds

/// What a backup holds, as its file `backup.json` says.
struct BackupManifest: Codable, Equatable {
    /// One file of a backup.
    struct File: Codable, Equatable {
        /// Relative to the backup.
        let path: String
        let size: Int
        /// In lowercase hexadecimal.
        let sha256: String
    }

    static let name = "backup.json"
    static let database = "martlet.sqlite"
    static let packages = "packages"
    /// Some two hundred bytes for each file: a hundred thousand packages.
    static let mostBytes = 32 << 20
    private static let limits = InputLimits(bytes: mostBytes, objects: 1_000_000)

    let format: Int
    /// When the database was copied.
    let made: Date
    let files: [File]

    init(made: Date, files: [File]) {
        format = 1
        self.made = made
        self.files = files
    }

    /// Reads what was written, and believes no path that a backup does not have.
    init(parsing data: Data) throws {
        let refusal = Refusal(rule: "\(Self.name) does not say what a backup of this server holds")
        do {
            self = try JSONValue(parsing: data, limits: Self.limits).decoded(as: Self.self)
        } catch {
            throw refusal
        }
        guard format == 1 else {
            throw Refusal(rule: "the backup was made by a newer version of the server: restore it with that one")
        }
        let paths = files.map(\.path)
        guard Set(paths).count == paths.count, paths.allSatisfy(Self.isPath), paths.contains(Self.database) else {
            throw refusal
        }
    }

    var encoded: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    private static func isPath(_ path: String) -> Bool {
        if path == database || DataDirectory.authorityFiles.contains(path) { return true }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == packages && parts[1].utf8.count == 64
            && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
