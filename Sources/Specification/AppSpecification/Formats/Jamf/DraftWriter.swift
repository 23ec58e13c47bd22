import InputBounds

/// Turns schemas of 2020-12 into those of draft 7, with the words that Jamf's forms read.
struct DraftWriter {
    var notes = ConversionNotes()

    mutating func older(_ schema: JSONValue, at path: SpecifiedPath) -> JSONValue {
        guard case .object(var keywords) = schema else { return schema }
        keywords = SchemaKeywords.mapped(keywords, at: path) { older($0, at: $1) }
        writeForm(&keywords, at: path)
        writeParts(&keywords)
        if let reference = keywords["$ref"]?.string {
            let renamed = JSONValue.string(
                SchemaKeywords.reference(reference, renaming: ["$defs": "definitions"]))
            keywords["$ref"] = renamed
            let beside = keywords.keys.contains { $0 != "$ref" && $0 != "definitions" && $0 != "$defs" }
            if beside, keywords["allOf"] == nil {
                // Draft 7 ignores what stands beside a reference.
                keywords["$ref"] = nil
                keywords["allOf"] = .array([.object(["$ref": renamed])])
            } else if beside, let all = keywords["allOf"]?.array {
                keywords["$ref"] = nil
                keywords["allOf"] = .array(all + [.object(["$ref": renamed])])
            }
        }
        if let definitions = keywords.removeValue(forKey: "$defs") { keywords["definitions"] = definitions }
        if let anchor = keywords.removeValue(forKey: "$anchor")?.string { keywords["$id"] = .string("#" + anchor) }
        for keyword in ["minContains", "maxContains", "deprecated"] {
            if keywords.removeValue(forKey: keyword) != nil { notes.lose(path, keyword, "draft 7 has no place for it") }
        }
        for keyword in keywords.keys.filter({ $0.hasPrefix("x-") }).sorted() {
            keywords[keyword] = nil
            // That a key is deprecated has been said.
            if keyword != "x-deprecated" { notes.lose(path, keyword, "there is no place for it in \(JamfSchema.name)") }
        }
        return .object(keywords)
    }

    private mutating func writeForm(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        var options = keywords["options"]?.object ?? [:]
        if let order = keywords.removeValue(forKey: "x-order") { keywords["property_order"] = order }
        if let titles = keywords.removeValue(forKey: "x-enum-titles")?.array, let values = keywords["enum"]?.array {
            let filled = values.enumerated().map { index, value in
                (index < titles.count ? titles[index].string : nil) ?? ScalarText.text(value)
                    ?? String(decoding: value.encoded(), as: UTF8.self)
            }
            if titles.count != values.count || titles.contains(where: \.isNull) {
                notes.warn(path, "x-enum-titles", "values without a title are titled by themselves")
            }
            options["enum_titles"] = .array(filled.map(JSONValue.string))
        }
        if case .object(var form)? = keywords.removeValue(forKey: "x-ui") {
            if form.removeValue(forKey: "hidden")?.bool == true { options["hidden"] = .boolean(true) }
            for word in form.keys.sorted() {
                notes.lose(path, "x-ui.\(word)", "there is no place for it in \(JamfSchema.name)")
            }
        }
        if !options.isEmpty { keywords["options"] = .object(options) }
    }

    private func writeParts(_ keywords: inout [String: JSONValue]) {
        if let first = keywords.removeValue(forKey: "prefixItems") {
            keywords["additionalItems"] = keywords["items"]
            keywords["items"] = first
        }
        let required = keywords.removeValue(forKey: "dependentRequired")?.object ?? [:]
        let schemas = keywords.removeValue(forKey: "dependentSchemas")?.object ?? [:]
        // One key may have both; a schema can say either.
        let both = schemas.merging(required) { schema, names in
            .object(["allOf": .array([schema, .object(["required": names])])])
        }
        if !both.isEmpty { keywords["dependencies"] = .object(both) }
    }
}
