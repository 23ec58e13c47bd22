import BuiltPrograms
import CertificateAuthority
import Foundation
import Testing

/// A data directory in which an operator runs `martlet-server`, and whose store a server of the test serves.
struct OperatedDirectory: Sendable {
    /// How a program ended, and what it did to the files of the directory, in order, such as `rename /ca.pem`.
    struct Ended: Sendable {
        let status: Int32
        let output: String
        let steps: [String]
    }

    let store: KeptStore
    private let folder: URL
    private let data: URL
    private let backup: URL

    /// Makes the directory below a folder, with the authorities of the test's servers.
    init(in folder: URL) throws {
        self.folder = folder
        data = folder.appending(path: "data")
        backup = folder.appending(path: "backup")
        store = KeptStore(path: data.appending(path: "martlet.sqlite").path)
        try FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for (name, authority) in [
            ("ca", try SharedAuthority.authority()), ("identities", try SharedAuthority.identityAuthority()),
        ] {
            for (suffix, text) in [("pem", authority.certificatePEM), ("key", authority.keyPEM)] {
                let isWritten = FileManager.default.createFile(
                    atPath: data.appending(path: "\(name).\(suffix)").path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: 0o600])
                try #require(isWritten)
            }
        }
    }

    /// Whether a restore has begun here and not ended.
    var isRestoredInPart: Bool { has("restoring") }

    var isRestored: Bool { has("martlet.sqlite") && !isRestoredInPart }

    private func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: data.appending(path: name).path)
    }

    /// Backs up while a server serves from the store; the backup is then one of a moment of the test's own clock.
    func backUp(asOf moment: Date) async throws {
        let made = try await operate("backup", [backup.path])
        try #require(made.status == 0, "\(made.output)")
        let file = backup.appending(path: "backup.json")
        var manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: file))
        manifest.made = moment
        try JSONEncoder().encode(manifest).write(to: file)
    }

    /// What a backup says of itself in `backup.json`.
    private struct Manifest: Codable {
        struct File: Codable {
            let path: String
            let size: Int
            let sha256: String
        }

        let format: Int
        var made: Date
        let files: [File]
    }

    /// Removes the directory, as it is on a new machine.
    func remove() throws { try FileManager.default.removeItem(at: data) }

    /// Puts the backup back; the program is killed at its Nth step, or at none for 0.
    func restore(killedAt number: Int = 0) async throws -> Ended {
        let log = folder.appending(path: "steps")
        try? FileManager.default.removeItem(at: log)
        let (status, output) = try await operate(
            "restore", [backup.path],
            environment: [
                "LD_PRELOAD": BuiltPrograms.url("libCrashPoint.so").path, "MARTLET_CRASHPOINT_DIRECTORY": data.path,
                "MARTLET_CRASHPOINT_AT": "\(number)", "MARTLET_CRASHPOINT_LOG": log.path,
            ])
        let text = try String(contentsOf: log, encoding: .utf8)
        return Ended(status: status, output: output, steps: text.split(separator: "\n").map(String.init))
    }

    /// Looks whether everything is there, as `martlet-server check` does.
    func check() async throws -> (status: Int32, output: String) { try await operate("check", []) }

    private func operate(
        _ command: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        try await ForeignProgram.run(
            BuiltPrograms.url("martlet-server").path, [command, "--data-directory", data.path] + arguments,
            environment: environment, in: folder)
    }
}
