import Foundation

/// `scripts/test`, run on a shell's command in a directory of its own.
struct TestScriptRun {
    let status: Int32
    /// What it printed, in order.
    let text: String
    /// What it kept of failures, by file.
    let kept: [String: String]

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts/test").path

    /// The command finds `arguments` as its own, before those that the script adds; `sources` are the tree's tests.
    init(
        _ command: String, _ arguments: [String] = [], options: [String] = [], seconds: Int = 600,
        sources: [String: String] = [:]
    ) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "martlet-test-\(UUID().uuidString)")
        let tests = place.appending(path: "Tests")
        try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        for (name, source) in sources { try Data(source.utf8).write(to: tests.appending(path: name)) }
        let file = place.appending(path: "output")
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["python3", Self.script] + options + ["\(seconds)", "bash", "-c", command, "bash"] + arguments
        process.currentDirectoryURL = place
        process.standardOutput = output
        process.standardError = output
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        status = process.terminationStatus
        text = try String(contentsOf: file, encoding: .utf8)
        let unsteady = place.appending(path: ".build/unsteady")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: unsteady.path)) ?? []
        kept = try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: unsteady.appending(path: $0), encoding: .utf8))
            })
    }
}
