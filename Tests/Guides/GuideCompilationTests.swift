import Foundation
import GuideBlocks
import Testing

/// Swift of the guides that is quoted from nowhere is shown to the compiler, against the modules as apps link them.
@Suite(.enabled(if: GuideCompiler.isThere, "what this package was built into is elsewhere"))
struct GuideCompilationTests {
    /// A guide is one program: what it declares counts for all of it, what it does stands in the order of the text.
    private static let guides: [(name: String, blocks: [GuideBlock])] = {
        let blocks = ((try? Guide.all()) ?? []).flatMap(\.blocks)
            .filter { $0.language == "swift" && $0.note("quotes") == nil }
        return Dictionary(grouping: blocks, by: \.guide).map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
    }()

    @Test func thereIsSomethingToCompile() {
        #expect(Self.guides.map(\.name).contains("AppDevelopers"))
        #expect(Self.guides.reduce(0) { $0 + $1.blocks.count } >= 14)
    }

    @Test(arguments: guides.map(\.name)) func everyGuideCompiles(name: String) async throws {
        let guide = try #require(Self.guides.first { $0.name == name })
        let said = try await GuideCompiler.said(of: guide.blocks)
        #expect(!said.contains("error:"), "\(said)")
    }

    /// The check has been seen to notice.
    @Test func whatDoesNotCompileIsTold() async throws {
        let blocks = Guide("G", "```swift\nlet a: Nothing = 1\n```").blocks
        #expect(try await GuideCompiler.said(of: blocks).contains("error: cannot find type 'Nothing'"))
    }
}

enum GuideCompiler {
    static let products: URL? = {
        let here = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: here ?? CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path.count > 1 {
            if FileManager.default.fileExists(atPath: folder.appending(path: plugin).path) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private static let plugin = "ManagedAppSpecificationMacros-tool"
    static var isThere: Bool { products != nil }

    /// What the compiler says of blocks that stand in one file.
    static func said(of blocks: [GuideBlock]) async throws -> String {
        let products = try #require(products)
        let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let main = folder.appending(path: "main.swift")
        try Data(program(of: blocks).utf8).write(to: main)
        let standIns = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/StandIns.swift")
        let other = folder.appending(path: "StandIns.swift")
        try FileManager.default.copyItem(at: standIns, to: other)
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-module-name", "Guide",
            "-I", products.appending(path: "Modules").path,
            "-Xcc", "-fmodule-map-file=" + products.appending(path: "CLinux.build/module.modulemap").path,
            "-load-plugin-executable", products.appending(path: plugin).path + "#ManagedAppSpecificationMacros",
            main.path, other.path,
        ]
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread {
                do {
                    try process.run()
                    let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    done.resume(returning: String(decoding: text, as: UTF8.self))
                } catch {
                    done.resume(throwing: error)
                }
            }
        }
    }

    /// Declarations stand for themselves; what is done stands in a scope of its own, for two blocks may use one name.
    private static func program(of blocks: [GuideBlock]) -> String {
        let modules = ["Foundation", "ManagedApp", "ManagedAppSpecification"]
        var text = modules.map { "import \($0)\n" }.joined()
        for block in blocks {
            let declares = block.text.firstMatch(
                of: /^(?:\/\/.*\n)*(?:@|#if|import|struct|enum|extension|final class|actor|func|public|private)/)
            text += "// \(block)\n" + (declares != nil ? block.text : "do {\n\(block.text)}\n")
        }
        return text
    }
}
