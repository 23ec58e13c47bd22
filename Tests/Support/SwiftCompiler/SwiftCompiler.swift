package import Foundation

/// The Swift compiler, as apps' developers have it: it judges sources beside the modules and macros of this package.
package enum SwiftCompiler {
    /// What it made of some sources.
    package struct Judgement: Sendable {
        package let status: Int32
        package let text: String
    }

    /// Where modules and macros were built; nothing where tests run without them.
    package static let products: URL? = {
        let here = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: here ?? CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path.count > 1 {
            if FileManager.default.fileExists(atPath: folder.appending(path: plugin).path) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private static let plugin = "ManagedAppSpecificationMacros-tool"
    package static var isThere: Bool { products != nil }

    /// Has it judge a text, which stands in a file of its own, together with other files.
    package static func judge(
        _ source: String, named name: String = "main", with others: [URL] = [], _ options: [String] = []
    ) async throws -> Judgement {
        guard let products else { throw CocoaError(.fileNoSuchFile) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "judged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "\(name).swift")
        try Data(source.utf8).write(to: file)
        return try await run(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", products.appending(path: "Modules").path,
                "-Xcc", "-fmodule-map-file=" + products.appending(path: "CLinux.build/module.modulemap").path,
                "-load-plugin-executable", products.appending(path: plugin).path + "#ManagedAppSpecificationMacros",
            ] + options + [file.path] + others.map(\.path))
    }

    /// Has SwiftPM read the manifest of a package; nothing that it depends on is fetched.
    package static func evaluate(manifest: String) async throws -> Judgement {
        let folder = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
        return try await run(["swift", "package", "dump-package", "--package-path", folder.path])
    }

    private static func run(_ arguments: [String]) async throws -> Judgement {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { done in
            // On a thread of its own: whoever waits for a pipe would keep one from the other tests.
            Thread.detachNewThread {
                do {
                    try process.run()
                    let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    done.resume(
                        returning: Judgement(
                            status: process.terminationStatus, text: String(decoding: text, as: UTF8.self)))
                } catch {
                    done.resume(throwing: error)
                }
            }
        }
    }
}
