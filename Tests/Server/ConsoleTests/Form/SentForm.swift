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
            if tag.hasPrefix("input") {
                add(Self.attributes(tag))
            } else if tag.hasPrefix("textarea"), let close = rest.range(of: "</textarea>") {
                var text = Self.unescaped(String(rest[..<close.lowerBound]))
                if text.hasPrefix("\n") { text.removeFirst() }
                add(Self.attributes(tag)["name"], text)
            } else if tag.hasPrefix("select") {
                select = Self.attributes(tag)["name"]
                // Without a chosen one the first counts.
                if let first = rest.range(of: "<option") {
                    let body = rest[..<(rest.range(of: "</select>")?.lowerBound ?? rest.endIndex)]
                    if !body.contains(" selected>"), let end = rest[first.lowerBound...].firstIndex(of: ">") {
                        add(select, Self.attributes(String(rest[first.upperBound..<end]))["value"] ?? "")
                    }
                }
            } else if tag.hasPrefix("option"), tag.hasSuffix(" selected") {
                add(select, Self.attributes(tag)["value"] ?? "")
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
        var rest = tag.utf8.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
        while !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...]
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                let quoted = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
                value = unescaped(String(Substring(quoted)))
                rest = rest[quoted.endIndex...].dropFirst()
            }
            attributes[String(Substring(name))] = value
            rest = rest.drop { $0 == UInt8(ascii: " ") }
        }
        return attributes
    }

    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
