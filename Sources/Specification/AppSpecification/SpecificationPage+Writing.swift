import Foundation
import InputBounds

extension AppSpecification {
    /// A page in Markdown for administrators.
    package func markdown() -> String { SpecificationPage(self).markdown }

    /// The same as one HTML file that needs nothing else.
    package func html() -> String { SpecificationPage(self).html }
}

extension SpecificationPage {
    fileprivate var markdown: String {
        blocks.map { block in
            switch block {
            case .heading(let level, let text): String(repeating: "#", count: level) + " " + Self.inMarkdown(text)
            case .paragraph(let text): Self.inMarkdown(text)
            case .list(let items): items.map { "- " + Self.inMarkdown($0) }.joined(separator: "\n")
            case .code(let text): Self.fenced(text)
            case .table(let head, let rows):
                ([head.map(Cell.text)] + [head.map { _ in Cell.text("---") }] + rows).enumerated().map { index, row in
                    "| " + row.map { index == 1 ? "---" : Self.inMarkdown($0) }.joined(separator: " | ") + " |"
                }.joined(separator: "\n")
            }
        }.joined(separator: "\n\n") + "\n"
    }

    private static func inMarkdown(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): inMarkdown(text)
        case .code(let text):
            // A longer fence than any in the text; a bar would end the cell.
            text.isEmpty
                ? ""
                : ticked(
                    text.replacing(scalars: "\n", with: " ").replacing(scalars: "\r", with: " ")
                        .replacing(scalars: "|", with: "\\|"))
        }
    }

    private static func ticked(_ text: String) -> String {
        let fence = String(repeating: "`", count: longestRun(of: "`", in: text) + 1)
        let space = text.unicodeScalars.first == "`" || text.unicodeScalars.last == "`" ? " " : ""
        return fence + space + text + space + fence
    }

    private static func fenced(_ text: String) -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
        return fence + "xml\n" + text + (text.hasSuffix("\n") ? "" : "\n") + fence
    }

    private static func longestRun(of letter: Unicode.Scalar, in text: String) -> Int {
        var (longest, current) = (0, 0)
        for one in text.unicodeScalars {
            current = one == letter ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }

    /// Whatever an app's developer wrote stays text: no tags, links or tables come out of it.
    private static func inMarkdown(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for letter in text.unicodeScalars {
            if Character(letter).isNewline {
                result.append(" ")
            } else {
                if "\\`*_{}[]<>#|!&~".unicodeScalars.contains(letter) { result.append("\\") }
                result.append(letter)
            }
        }
        return String(result)
    }

    // MARK: HTML

    fileprivate var html: String {
        let title = blocks.lazy.compactMap { if case .heading(1, let text) = $0 { text } else { nil } }.first ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(Self.inHTML(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            \(blocks.map(Self.inHTML).joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0}main{max-width:64rem;margin:auto;\
        padding:1rem}table{border-collapse:collapse;width:100%}.wide{overflow-x:auto}th,td{text-align:left;vertical-align:\
        top;padding:.3rem .6rem;border-bottom:1px solid #8888}code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
        td code{overflow-wrap:anywhere}pre{padding:.75rem;overflow-x:auto;border:1px solid #8888}
        """

    private static func inHTML(_ block: Block) -> String {
        switch block {
        case .heading(let level, let text): return "<h\(level)>\(inHTML(text))</h\(level)>"
        case .paragraph(let text): return "<p>\(inHTML(text))</p>"
        case .list(let items): return "<ul>" + items.map { "<li>\(inHTML($0))</li>" }.joined() + "</ul>"
        case .code(let text): return "<pre tabindex=\"0\"><code>\(inHTML(text))</code></pre>"
        case .table(let head, let rows):
            let top = head.map { "<th scope=\"col\">\(inHTML($0))</th>" }.joined()
            let body = rows.map { "<tr>" + $0.map { "<td>\(inHTML($0))</td>" }.joined() + "</tr>" }
            return "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>\(top)</tr></thead>\n<tbody>"
                + body.joined(separator: "\n") + "</tbody></table></div>"
        }
    }

    private static func inHTML(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): inHTML(text)
        case .code(let text): text.isEmpty ? "" : "<code>\(inHTML(text))</code>"
        }
    }

    private static func inHTML(_ text: String) -> String {
        text.replacing(scalars: "&", with: "&amp;").replacing(scalars: "<", with: "&lt;")
            .replacing(scalars: ">", with: "&gt;").replacing(scalars: "\"", with: "&quot;")
    }
}
