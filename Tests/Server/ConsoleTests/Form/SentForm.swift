import Console
import Foundation

/// What a browser sends of a form that somebody leaves as it is.
struct SentForm {
    private(set) var fields: [Form.Field] = []

    /// Reads the controls of our own markup, whose attributes all stand in double quotes.
    init(_ markup: HTML) {
        var rest = markup.text[...]
        var select: String?
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let tag = String(rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
            let attributes = Self.attributes(tag)
            if tag.hasPrefix("input") {
                add(attributes)
            } else if tag.hasPrefix("textarea"), let close = rest.range(of: "</textarea>") {
                var text = Self.unescaped(String(rest[..<close.lowerBound]))
                if text.hasPrefix("\n") { text.removeFirst() }
                add(attributes["name"], text)
            } else if tag.hasPrefix("select") {
                select = attributes["name"]
                // Without a chosen one the first counts.
                if let first = rest.range(of: "<option") {
                    let body = rest[..<(rest.range(of: "</select>")?.lowerBound ?? rest.endIndex)]
                    if !body.contains(" selected>"), let end = rest[first.lowerBound...].firstIndex(of: ">") {
                        add(select, Self.attributes(String(rest[first.upperBound..<end]))["value"] ?? "")
                    }
                }
            } else if tag.hasPrefix("option"), tag.hasSuffix(" selected") {
                add(select, attributes["value"] ?? "")
            }
        }
    }

    var form: Form { Form(fields: fields) }

    private mutating func add(_ attributes: [String: String]) {
        let value = attributes["value"] ?? ""
        switch attributes["type"] {
        case "checkbox", "radio":
            if attributes["checked"] != nil { add(attributes["name"], value) }
        case "hidden": add(attributes["name"], value)
        // One line has no line feeds.
        default: add(attributes["name"], value.filter { !$0.isNewline })
        }
    }

    private mutating func add(_ name: String?, _ value: String) {
        guard let name else { return }
        let lines = value.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\r\n")
        fields.append(Form.Field(name, lines))
    }

    private static func attributes(_ tag: String) -> [String: String] {
        var attributes: [String: String] = [:]
        for match in tag.matches(of: /([a-z-]+)(?:="([^"]*)")?/) {
            attributes[String(match.1)] = unescaped(match.2.map(String.init) ?? "")
        }
        return attributes
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
