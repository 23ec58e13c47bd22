import Foundation
import GuideBlocks
import Testing

/// Texts use American spelling.
struct SpellingTests {
    /// Red if a text spells `enrol`, `colour` or `recognise`: the command is `enroll`, the variable `NO_COLOR`.
    @Test(arguments: ["Sources", "Examples", "docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
    func aWordHasOneSpelling(place: String) throws {
        let british =
            /\b(?:[Bb]ehaviours?|[Cc]olours?|[Ee]nrols?|(?:[Oo]rgan|[Rr]ecogn)is(?:e|es|ed|ing|ation|ations))\b/
        // The name of a member of the API is `synchronised`, in Swift too.
        let synchronise = /(?:^|[^.\w])[Ss]ynchronis(?:(?:e|es|ing|ation|ations)\b|ed(?![\w:]))/
        for file in try Self.files(place) {
            let text = try String(contentsOf: file, encoding: .utf8)
            let other = text.firstMatch(of: british)
            #expect(other == nil, "\(file.path): \(other.map { String($0.0) } ?? "")")
            guard text.contains("ynchronis") else { continue }
            let another = Self.prose(text, isSwift: file.pathExtension == "swift").firstMatch(of: synchronise)
            #expect(another == nil, "\(file.path): \(another.map { String($0.0) } ?? "")")
        }
    }

    /// Red where a word of the wire in code counts as prose, or prose beside code does not.
    @Test func whatPeopleReadIsToldFromCode() {
        let swift = #"""
            // A comment on `code`.
            let word = "wire"
            print("a text \(value.wire)")
            let text = """
                several lines
                """
            """#
        let prose = Self.prose(swift, isSwift: true)
        for read in ["A comment on", "a text", "several lines"] { #expect(prose.contains(read), "\(prose)") }
        for code in ["`code`", "\"wire\"", "let"] { #expect(!prose.contains(code), "\(prose)") }
        #expect(Self.prose("Say `this` here.", isSwift: false) == "Say  here.")
    }

    private static func files(_ place: String) throws -> [URL] {
        let top = Guide.tree.appending(path: place)
        guard top.pathExtension.isEmpty else { return [top] }
        let below = try #require(FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil))
        let files = below.compactMap { $0 as? URL }.filter { ["swift", "md"].contains($0.pathExtension) }
        try #require(!files.isEmpty)
        return files
    }

    /// What people read of a file, without its code: of Swift the comments and the texts of more than one word.
    private static func prose(_ text: String, isSwift: Bool) -> String {
        var prose = text
        if isSwift {
            var parts: [String] = []
            for (number, part) in text.components(separatedBy: "\"\"\"").enumerated() {
                guard number.isMultiple(of: 2) else {
                    parts.append(part)
                    continue
                }
                let texts = part.matches(of: /\/\/.*|"(?:[^"\\\n]|\\.)*"/).map { String($0.0) }
                parts += texts.filter { $0.contains(" ") }
            }
            prose = parts.joined(separator: "\n")
        }
        return prose.replacing(/`[^`\n]*`/, with: "")
    }
}
