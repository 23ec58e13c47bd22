import Foundation
import GuideBlocks
import Testing

/// Texts use American spelling.
struct SpellingTests {
    /// Red if a text spells `enrol`, `colour` or `recognise`: the command is `enroll`, the variable `NO_COLOR`.
    @Test(arguments: ["Sources", "Examples", "docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
    func aWordHasOneSpelling(place: String) throws {
        let top = Guide.tree.appending(path: place)
        var files = [top]
        if top.pathExtension.isEmpty {
            let below = try #require(FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil))
            files = below.compactMap { $0 as? URL }.filter { ["swift", "md"].contains($0.pathExtension) }
        }
        #expect(!files.isEmpty)
        let british =
            /\b(?:[Bb]ehaviours?|[Cc]olours?|[Ee]nrols?|(?:[Oo]rgan|[Rr]ecogn)is(?:e|es|ed|ing|ation|ations))\b/
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let other = text.firstMatch(of: british)
            #expect(other == nil, "\(file.path): \(other.map { String($0.0) } ?? "")")
        }
    }
}
