import Console
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// The description of the API as a page for people: made of the OpenAPI document, read without scripts.
enum ReferencePage {
    static func page(of document: JSONValue) -> HTML {
        let operations = ReferencedOperation.all(in: document)
        let topics = Dictionary(grouping: operations, by: \.topic).sorted { $0.key < $1.key }
        let schemas = (document["components"]?["schemas"]?.object ?? [:]).sorted { $0.key < $1.key }
        let title = document["info"]?["title"]?.string ?? ""
        let topicLinks: [HTML] = topics.map { "<li><a href=\"#\($0.key)\">\($0.key)</a></li>" }
        let paragraphs: [HTML] = (document["info"]?["description"]?.string ?? "").split(separator: "\n").map {
            "<p>\(code(in: $0))</p>"
        }
        let chapters: [HTML] = topics.map { topic, operations in
            """
            <section class="panel" aria-labelledby="\(topic)"><h2 id="\(topic)">\(topic)</h2>
            \(operations.map { $0.html })</section>
            """
        }
        let shapes: [HTML] = schemas.map { name, schema in
            """
            <section class="panel" aria-labelledby="schema-\(name)"><h3 id="schema-\(name)">\(name)</h3>
            \(ReferencedSchema.members(of: schema))</section>
            """
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · Martlet</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="\(ConsolePages.styleSheet)">
            </head>
            <body>
            <a class="skip" href="#content">Skip to content</a>
            <main id="content" tabindex="-1">
            <div class="title"><h1>\(title)</h1><a href="openapi.json">OpenAPI document</a></div>
            \(paragraphs)
            <nav aria-label="Topics"><ul class="inline">\(topicLinks)<li><a href="#schemas">schemas</a></li></ul></nav>
            \(chapters)
            <h2 id="schemas">Schemas</h2>
            \(shapes)
            </main>
            </body>
            </html>

            """
    }

    /// What stands between backticks is code.
    static func code(in text: some StringProtocol) -> [HTML] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
            place.isMultiple(of: 2) ? "\(part)" : "<code>\(part)</code>"
        }
    }
}

/// One operation of the document, for the page.
private struct ReferencedOperation {
    let path: String
    let method: String
    let description: JSONValue
    let document: JSONValue

    static func all(in document: JSONValue) -> [ReferencedOperation] {
        (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, methods in
            (methods.object ?? [:]).sorted { $0.key < $1.key }.map { method, description in
                ReferencedOperation(
                    path: path, method: method.uppercased(), description: description, document: document)
            }
        }
    }

    /// The first noun of its path.
    var topic: String { path.split(separator: "/").first.map { String($0.prefix { $0 != "." }) } ?? "" }

    var html: HTML {
        let name = description["operationId"]?.string ?? ""
        return """
            <section aria-labelledby="\(name)"><h3 id="\(name)"><code>\(method) \(path)</code></h3>
            <p>\(ReferencePage.code(in: description["summary"]?.string ?? "")) \
            <span class="muted">Operation <code>\(name)</code>\(permission(name)).</span></p>
            \(parameters)\(requestBody)\(responses)</section>
            """
    }

    private func permission(_ operation: String) -> HTML {
        guard description["security"] != nil else { return ", for everybody" }
        return ", needs the permission <code>\(AdminPermissions.needed(for: operation).rawValue)</code>"
    }

    private var parameters: HTML? {
        let rows: [HTML] = (description["parameters"]?.array ?? []).map { parameter in
            let isRequired = parameter["required"]?.bool == true
            return """
                <tr><th scope="row"><code>\(parameter["name"]?.string ?? "")</code></th>\
                <td>\(parameter["in"]?.string ?? "")\(isRequired ? ", required" : "")</td>\
                <td>\(ReferencedSchema.inline(parameter["schema"] ?? .null))</td>\
                <td>\(ReferencePage.code(in: parameter["description"]?.string ?? ""))</td></tr>
                """
        }
        guard !rows.isEmpty else { return nil }
        return """
            <div class="scroll" tabindex="0" role="group" aria-label="Parameters of \(method) \(path)"><table>
            <thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Kind</th>\
            <th scope="col">What it says</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }

    private var requestBody: HTML? {
        guard let content = description["requestBody"]?["content"]?.object else { return nil }
        return "<p>Takes \(Self.kinds(content)).</p>"
    }

    private var responses: HTML {
        let answers = (description["responses"]?.object ?? [:]).sorted { $0.key < $1.key }
        let items: [HTML] = answers.map { status, answer in
            let named = answer["$ref"]?.string.flatMap { $0.split(separator: "/").last }
            let found = named.flatMap { document["components"]?["responses"]?[String($0)] } ?? answer
            let kinds: HTML? = named == nil ? found["content"]?.object.map { " \(Self.kinds($0))" } : nil
            let fields: [HTML] = (found["headers"]?.object ?? [:]).keys.sorted().enumerated().map { place, name in
                let before: HTML = place == 0 ? " With " : ", "
                return "\(before)<code>\(name)</code>"
            }
            return """
                <li><code>\(status)</code> \(ReferencePage.code(in: found["description"]?.string ?? ""))\(kinds)\(fields)</li>
                """
        }
        return "<ul class=\"list\">\(items)</ul>"
    }

    private static func kinds(_ content: [String: JSONValue]) -> [HTML] {
        content.sorted { $0.key < $1.key }.enumerated().map { place, form in
            let before: HTML = place == 0 ? "" : " or "
            return "\(before)<code>\(form.key)</code>: \(ReferencedSchema.inline(form.value["schema"] ?? .null))"
        }
    }
}

/// A schema of the document, for the page.
private enum ReferencedSchema {
    static func members(of schema: JSONValue) -> HTML {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let rows: [HTML] = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }.map { name, member in
            """
            <tr><th scope="row"><code>\(name)</code></th><td>\(inline(member))</td>\
            <td>\(required.contains(name) ? "always" : "if need be")</td></tr>
            """
        }
        guard !rows.isEmpty else { return "<p>An object without members.</p>" }
        return """
            <table><thead><tr><th scope="col">Member</th><th scope="col">Kind</th><th scope="col">There</th></tr></thead>
            <tbody>\(rows)</tbody></table>
            """
    }

    /// A few words, with a link to what has a name.
    static func inline(_ schema: JSONValue) -> HTML {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            return "<a href=\"#schema-\(name)\">\(name)</a>"
        }
        if let forms = schema["anyOf"]?.array {
            let words: [HTML] = forms.enumerated().map {
                let before: HTML = $0.offset == 0 ? "" : " or "
                return "\(before)\(inline($0.element))"
            }
            return "\(words)"
        }
        switch schema["type"]?.string {
        case "null": return "<code>null</code>"
        case "array": return "list of \(inline(schema["items"] ?? .null))"
        case "object" where schema["properties"] != nil:
            let members: [HTML] = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }.enumerated().map {
                let before: HTML = $0.offset == 0 ? "" : ", "
                return "\(before)<code>\($0.element.key)</code>: \(inline($0.element.value))"
            }
            return "object with \(members)"
        case "object": return "object of \(inline(schema["additionalProperties"] ?? .null))"
        case "integer": return "whole number\(range(schema))"
        case "boolean": return "true or false"
        case "string" where schema["format"]?.string == "date-time": return "time"
        case "string":
            let words: [HTML] = (schema["examples"]?.array ?? []).compactMap(\.string).enumerated().map {
                let before: HTML = $0.offset == 0 ? " such as " : ", "
                return "\(before)<code>\($0.element)</code>"
            }
            return "text\(words)"
        default: return "anything"
        }
    }

    private static func range(_ schema: JSONValue) -> HTML? {
        guard let least = schema["minimum"]?.int, let most = schema["maximum"]?.int, most < Schema.integers.upperBound
        else { return nil }
        return " from \(least) to \(most)"
    }
}
