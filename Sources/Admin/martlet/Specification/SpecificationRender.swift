import AppSpecification
import ArgumentParser
import Foundation

/// The command `martlet spec render`.
struct SpecificationRender: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Make a page for administrators out of a specification.",
        discussion: "The HTML is one file that fetches nothing.")

    package enum Page: String, ExpressibleByArgument, CaseIterable {
        case markdown, html
    }

    @Argument(help: "The specification; - is standard input.", completion: .file())
    var specification: String

    @Option(help: "markdown or html.")
    var `as`: Page = .markdown

    func run() async throws {
        let specification = try SpecificationFile.read(specification)
        Terminal.write(Data((self.as == .html ? specification.html() : specification.markdown()).utf8))
    }
}
