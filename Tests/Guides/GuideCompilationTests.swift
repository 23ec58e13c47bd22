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
            .filter { $0.language == "swift" && $0.note("quotes") == nil && $0.note != "manifest" }
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

    /// The first page for developers is a whole program: its blocks, in their order, with nothing added.
    ///
    /// Red where the page leaves out an import.
    @Test func theFirstPageIsAWholeProgram() async throws {
        let guide = try #require(Self.guides.first { $0.name == "AdoptInTenMinutes" })
        let program = GuideCompiler.program(of: guide.blocks, importing: [])
        let said = try await SwiftCompiler.judge(program, ["-module-name", "Greeting"])
        #expect(said.status == 0 && !said.text.contains("error:"), "\(said.text)")
    }

    /// The manifest on that page is one, and asks this package for products that it has.
    @Test func theManifestOnTheFirstPageIsOne() async throws {
        let all = try Guide.all()
        let page = try #require(all.first { $0.name == "AdoptInTenMinutes" })
        let manifests = page.blocks.filter { $0.note == "manifest" }
        try #require(manifests.count == 1)
        let text = manifests[0].text
        let evaluated = try await SwiftCompiler.evaluate(manifest: text)
        #expect(evaluated.status == 0, "\(evaluated.text)")
        let ours = try String(contentsOf: Guide.tree.appending(path: "Package.swift"), encoding: .utf8)
        #expect(ours.contains("\n    name: \"martlet\",\n"))
        let products = text.matches(of: /\.product\(name: "(\w+)", package: "martlet"\)/).map { String($0.1) }
        #expect(products == ["ManagedApp", "ManagedAppSpecification"])
        for product in products {
            #expect(ours.contains(".library(name: \"\(product)\", targets:"), "\(product)")
            #expect(evaluated.text.contains("\"\(product)\""), "\(evaluated.text)")
        }
        let broken = try await SwiftCompiler.evaluate(manifest: text.replacing(".package(", with: ".packag("))
        #expect(broken.status != 0, "a manifest that is none is noticed")
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
    static func program(
        of blocks: [GuideBlock], importing modules: [String] = ["Foundation", "ManagedApp", "ManagedAppSpecification"]
    ) -> String {
        var text = modules.map { "import \($0)\n" }.joined()
        for block in blocks {
            let declares = block.text.firstMatch(
                of: /^(?:\/\/.*\n)*(?:@|#if|import|struct|enum|extension|final class|actor|func|public|private)/)
            text += "// \(block)\n" + (declares != nil ? block.text : "do {\n\(block.text)}\n")
        }
        return text
    }
}
