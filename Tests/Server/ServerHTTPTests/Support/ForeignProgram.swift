import Foundation
import Waiting

/// A program that was not written here, run beside a test's server.
enum ForeignProgram {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The Python that has PyPI's clients: `make setup` installs it beside the build.
    static let python = root.appending(path: ".build/interop/python/bin/python3").path
    static let pythonIsThere = FileManager.default.isExecutableFile(atPath: python)

    static func script(_ name: String) -> String {
        root.appending(path: "Tests/Interoperation").appending(path: name).path
    }

    /// A folder for what a program leaves, removed afterwards.
    static func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "foreign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// Runs a program to its end without holding a thread of the pool; it ends by itself or is ended.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL,
        within limit: Duration = patience
    ) async throws -> (status: Int32, output: String) {
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        // Whatever it notes beside where it runs goes with the folder.
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        do {
            try await eventually("\(path) ends", within: limit) { !process.isRunning }
        } catch is DidNotHappen {
            // Its output says where it hangs, and its status that it was ended.
            kill(process.processIdentifier, SIGKILL)
            try await eventually("\(path) is gone") { !process.isRunning }
        }
        try handle.close()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }
}
