import AppSpecification
import Foundation
import GuideBlocks
import InputBounds
import Testing

/// No block of code in a guide goes unread: each is compiled, run, or judged by the reader whose business it is.
struct GuideBlockTests {
    /// Which languages there are, and what becomes of them.
    private static let languages = ["swift", "sh", "console", "json", "xml", "python", "ini"]

    private static let guides = Result { try Guide.all() }

    /// M01, S0-GEN-01: each perspective has a guide, and none is without blocks that are tried.
    @Test func everyPerspectiveHasItsGuide() throws {
        let guides = try Self.guides.get()
        let names = Set(guides.map(\.name))
        #expect(names.isSuperset(of: ["Martlet", "AppDevelopers", "Administrators", "Integrators"]))
        for guide in guides where guide.name != "Martlet" {
            #expect(guide.blocks.count >= 1, "\(guide.name) has no blocks that could be tried")
        }
        #expect(guides.reduce(0) { $0 + $1.blocks.count } > 80)
    }

    /// S0-GEN-01, S0-GEN-03: each feature is told from three sides, and each of the four areas has its place.
    @Test func everyFeatureIsToldFromThreeSides() throws {
        let text = try String(contentsOf: Guide.tree.appending(path: "docs/Martlet.docc/Martlet.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(
            rows.first == [
                "", "what the device does", "what the app's developer does", "what the administrator does",
            ])
        #expect(rows.count >= 10)
        for row in rows.dropFirst(2) { #expect(row.count == 4 && !row.contains(""), "\(row)") }
        for area in ["Authentication", "Networking", "Data security", "Management"] {
            #expect(text.contains("**\(area)**"))
        }
    }

    @Test func noBlockIsWithoutALanguageThatATestKnows() throws {
        for guide in try Self.guides.get() {
            #expect(guide.strays.isEmpty)
            for block in guide.blocks {
                #expect(Self.languages.contains(block.language), "\(block): \(block.language)")
            }
        }
    }

    /// What is neither run nor compiled here is what another file of the tree does, which holds the same words.
    @Test func whatIsDoneElsewhereIsDoneThere() throws {
        let elsewhere = try Self.guides.get().flatMap(\.blocks).compactMap { block in
            (block.note("done by") ?? block.note("quotes")).map { (block, $0) }
        }
        #expect(elsewhere.count > 20)
        for (block, path) in elsewhere {
            let text = try String(contentsOf: Guide.tree.appending(path: path), encoding: .utf8)
            if block.note("quotes") != nil {
                // A quotation is one letter by letter, but for how far it is moved to the right.
                let moved = [0, 4, 8].map { width in
                    block.text.split(separator: "\n", omittingEmptySubsequences: false)
                        .map { $0.isEmpty ? "" : String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
                }
                #expect(moved.contains(where: text.contains), "\(block) is not in \(path)")
                continue
            }
            for (command, _) in block.commands {
                for line in command.replacing("\\\n", with: " ").split(separator: "\n") {
                    let words = line.split(separator: " ").prefix { !$0.hasPrefix("-") && !$0.hasPrefix("$") }
                    #expect(words.prefix(2).allSatisfy { text.contains($0) }, "\(block): \(line) is not in \(path)")
                }
            }
        }
    }

    /// A block in Python, XML or shell that nobody runs is a quotation.
    @Test func whatIsInAnotherLanguageIsAQuotationOfWhatIsTested() throws {
        for block in try Self.guides.get().flatMap(\.blocks) where block.language == "python" {
            #expect(block.note("quotes") != nil, "\(block)")
        }
    }

    // MARK: Data

    /// Each specification in a guide is valid, and each configuration in a guide is valid by a specification.
    @Test func everyDocumentIsWhatItsReaderTakes() throws {
        var (specifications, configurations) = (0, 0)
        for block in try Self.guides.get().flatMap(\.blocks) where ["json", "xml"].contains(block.language) {
            if block.language == "json", block.text.contains("\"x-app\"") {
                specifications += 1
                let lint = try AppSpecification(parsing: Data(block.text.utf8)).lint()
                #expect(lint.isEmpty, "\(block): \(lint.map(\.description))")
                continue
            }
            let list = try Self.list(of: block)
            guard let path = block.note("configuration of") else { continue }
            configurations += 1
            let file = Guide.tree.appending(path: path)
            let findings = try AppSpecification(parsing: Data(contentsOf: file)).findings(in: list)
            #expect(findings.isEmpty, "\(block): \(findings.map(\.description))")
        }
        #expect(specifications > 0 && configurations > 1)
    }

    private static func list(of block: GuideBlock) throws -> PropertyListValue {
        if block.language == "json" {
            return try PropertyListValue(json: JSONValue(parsing: Data(block.text.utf8), limits: .configuration))
        }
        // A part of a dictionary, or the whole of a list.
        let text =
            block.text.contains("<plist") ? block.text : "<plist version=\"1.0\"><dict>\(block.text)</dict></plist>"
        return try PropertyListValue(parsing: Data(text.utf8), limits: .configuration)
    }

    /// Settings of systemd: sections, and keys with values.
    @Test func everySettingIsOne() throws {
        for block in try Self.guides.get().flatMap(\.blocks) where block.language == "ini" {
            for line in block.text.split(separator: "\n") {
                #expect(line.wholeMatch(of: /\[[A-Z]\w+\]|[A-Z]\w+=.*|#.*/) != nil, "\(block): \(line)")
            }
        }
    }

    // MARK: The reader itself

    @Test func theReaderFindsBlocksNotesAndStrays() {
        let guide = Guide(
            "G",
            """
            # G
            ## First
            <!-- session: a -->
            ```console
            $ one \\
                more
            says … this
            $ two
            ```

                stray
            ```
            nothing
            ```
            """)
        #expect(guide.blocks.map(\.language) == ["console", ""])
        #expect(guide.blocks[0].note == "session: a" && guide.blocks[0].section == "First" && guide.blocks[0].line == 5)
        #expect(guide.blocks[0].commands.map(\.command) == ["one \\\n    more", "two"])
        #expect(guide.blocks[0].commands.map(\.promised) == [["says … this"], []])
        #expect(guide.strays == ["G, line 11"])
        #expect(
            GuideBlock.says("says … this", in: "it says all of this")
                && !GuideBlock.says("this … says", in: "says this"))
    }
}
