import CryptographicMessages
import Foundation
import Testing

/// The `openssl` command in a folder of its own: another implementation's view of our messages.
final class OpenSSLTool {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "certificates-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ data: Data, _ name: String) throws { try data.write(to: folder.appending(path: name)) }
    func write(_ text: String, _ name: String) throws { try write(Data(text.utf8), name) }
    func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    func write(_ identity: Identity, _ name: String) throws {
        try write(identity.certificatePEM, name + ".pem")
        try write(identity.key.pem, name + ".key")
    }

    /// Runs one command in the folder and returns what it prints; throws when it fails.
    @discardableResult
    func run(_ arguments: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failure(text: text) }
        return text
    }

    struct Failure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}
