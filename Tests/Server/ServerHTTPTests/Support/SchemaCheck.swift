import Foundation
import InputBounds
import Testing

/// Holds JSON against the schemas of an OpenAPI document: types, formats, required members, and no member beside those
/// described, all the way down.
struct SchemaCheck {
    let document: JSONValue

    func expect(_ value: JSONValue, fits schema: JSONValue, at place: String) {
        if let reference = schema["$ref"]?.string {
            guard let named = resolve(reference) else {
                Issue.record("\(place): \(reference) leads nowhere")
                return
            }
            expect(value, fits: named, at: place)
            return
        }
        switch schema["type"]?.string {
        case "object": object(value, schema, at: place)
        case "array":
            #expect(value.array != nil, "\(place)")
            for element in value.array ?? [] {
                if let items = schema["items"] { expect(element, fits: items, at: place + "[]") }
            }
        case "string":
            #expect(value.string != nil, "\(place)")
            if schema["format"]?.string == "date-time" {
                #expect((try? Date(value.string ?? "", strategy: .iso8601)) != nil, "\(place)")
            }
        case "integer": #expect(value.int != nil, "\(place)")
        case "boolean": #expect(value.bool != nil, "\(place)")
        default: break
        }
    }

    private func object(_ value: JSONValue, _ schema: JSONValue, at place: String) {
        #expect(value.object != nil, "\(place)")
        for name in schema["required"]?.array?.compactMap(\.string) ?? [] {
            #expect(value[name] != nil, "\(place): \(name) is missing")
        }
        let properties = schema["properties"]?.object
        for (name, member) in value.object ?? [:] {
            if let described = properties?[name] ?? schema["additionalProperties"] {
                expect(member, fits: described, at: "\(place).\(name)")
            } else if properties != nil {
                Issue.record("\(place): \(name) is not described")
            }
        }
    }

    private func resolve(_ reference: String) -> JSONValue? {
        let prefix = "#/components/schemas/"
        guard reference.hasPrefix(prefix) else { return nil }
        return document["components"]?["schemas"]?[String(reference.dropFirst(prefix.count))]
    }
}
