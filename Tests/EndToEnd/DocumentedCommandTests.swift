import Foundation
import GuideBlocks
import Testing

/// Each command that README, CONTRIBUTING, a page of `docs` or a guide names is one that a program has.
///
/// The blocks of guides are carried out by `GuideCommandTests`; this also reads what stands between their words.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)))
struct DocumentedCommandTests {
    private static let programs = ["martlet", "martlet-agent", "martlet-server"]

    /// Red where a document names a command or an option that has another name by now.
    @Test func everyNamedCommandIsOneOfItsProgram() async throws {
        var trees: [String: CommandTree] = [:]
        for program in Self.programs { trees[program] = try await Self.tree(of: program) }
        for document in try Self.documents() {
            let text = try String(contentsOf: Guide.tree.appending(path: document), encoding: .utf8)
            let lines = NamedCommands.of(Set(Self.programs), in: text)
            if document == "README.md" {
                #expect(Set(lines.compactMap(\.first)) == Set(Self.programs) && lines.count > 10)
            }
            for line in lines {
                let fault = line.first.flatMap { trees[$0] }?.fault(in: line)
                #expect(fault == nil, "\(document): \(line.joined(separator: " ")): \(fault ?? "")")
            }
        }
    }

    /// By their paths in the tree.
    private static func documents() throws -> [String] {
        try ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
            + ["docs", "docs/Martlet.docc"].flatMap { folder in
                try FileManager.default.contentsOfDirectory(atPath: Guide.tree.appending(path: folder).path).sorted()
                    .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
            }
    }

    private static func tree(of program: String) async throws -> CommandTree {
        let answer = try await Road.answer(of: program, ["--experimental-dump-help"])
        try #require(answer.status == 0, "\(program) does not tell what it takes")
        return try CommandTree(dump: Data(answer.text.utf8))
    }
}
