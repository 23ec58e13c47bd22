import Foundation
import GuideBlocks
import SwiftCompiler
import Testing

/// Swift of the guides that is quoted from nowhere is shown to the compiler, against the modules as apps link them.
@Suite(.enabled(if: SwiftCompiler.isThere, "what this package was built into is elsewhere"))
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
    /// What the compiler says of blocks that stand in one file.
    static func said(of blocks: [GuideBlock]) async throws -> String {
        let standIns = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/StandIns.swift")
        return try await SwiftCompiler.judge(program(of: blocks), with: [standIns], ["-module-name", "Guide"]).text
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
