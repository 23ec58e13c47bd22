import AdminMessages
import AppSpecification
import Foundation

/// What an app publishes for one of its versions: its keys, its secrets, and what its error codes mean.
enum SpecifiedAppPage {
    static let routes = [ConsoleRoute(.get, "/apps/{app}/specifications/{version}", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let (identifier, version) = (call.parameter("app"), call.parameter("version"))
        let app: App = try await call.door.get(RequestPath.text(["apps", identifier]))
        let document = try await call.door.accepted(
            AdminDoorCall("GET", RequestPath.text(["apps", identifier, "specifications", version])))
        return call.page(
            "Specification of \(version)", in: .apps,
            trail: [Shell.Step("Apps", ["apps"]), Shell.Step(app.name, ["apps", identifier])], content(document.body))
    }

    private static func content(_ document: Data) -> HTML {
        guard let specification = try? AppSpecification(parsing: document) else {
            return EmptyState.html(
                "This server cannot read the specification",
                "It was kept by another version. Import it again, or use <code>martlet app specification set</code>.")
        }
        let website: HTML? = specification.app.website.map { address in
            """
            <p>The developer publishes it at <a href="\(address)" rel="noreferrer noopener">\(address)</a>.</p>
            """
        }
        // The page has a title already.
        let blocks = SpecificationPage(specification).blocks.dropFirst()
        return "<section class=\"panel\" data-part=\"Specification\">\(website)\(blocks.map(html))</section>"
    }

    private static func html(_ block: SpecificationPage.Block) -> HTML {
        switch block {
        case .heading(let level, let text): level <= 2 ? "<h2>\(text)</h2>" : "<h3>\(text)</h3>"
        case .paragraph(let text): "<p>\(text)</p>"
        case .list(let items): "<ul>\(items.map { "<li>\($0)</li>" as HTML })</ul>"
        case .code(let text): "<pre tabindex=\"0\"><code>\(text)</code></pre>"
        case .table(let head, let rows):
            Table(caption: head.joined(separator: ", "), columns: head, rows: rows.map { $0.map(html) }).html
        }
    }

    private static func html(_ cell: SpecificationPage.Cell) -> HTML {
        switch cell {
        case .text(let text): "\(text)"
        case .code(let text): text.isEmpty ? .empty : Code.html(text)
        }
    }
}
