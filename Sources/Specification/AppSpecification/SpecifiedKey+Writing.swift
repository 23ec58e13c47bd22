package import InputBounds

extension SpecifiedKey {
    /// The schema that says what this holds; keywords that `others` names are not in it.
    package var schema: [String: JSONValue] {
        var schema: [String: JSONValue] = [:]
        write(type: &schema)
        write(words: &schema)
        write(bounds: &schema)
        if type == .dictionary {
            if !keys.isEmpty {
                schema["properties"] = .object(
                    Dictionary(keys.map { ($0.name, .object($0.schema)) }) { first, _ in first })
            }
            let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
            if !required.isEmpty { schema["required"] = .array(required) }
            if !isOpen { schema["additionalProperties"] = .boolean(false) }
            if !conditions.isEmpty { schema["allOf"] = .array(conditions) }
            if let values = values.first { schema["additionalProperties"] = .object(values.schema) }
        }
        if type == .array, let item = item.first { schema["items"] = .object(item.schema) }
        return schema
    }

    private func write(type schema: inout [String: JSONValue]) {
        switch type {
        case .any: break
        case .string: schema["type"] = .string("string")
        case .integer: schema["type"] = .string("integer")
        case .real: schema["type"] = .string("number")
        case .boolean: schema["type"] = .string("boolean")
        case .array: schema["type"] = .string("array")
        case .dictionary: schema["type"] = .string("object")
        case .date:
            schema["type"] = .string("string")
            schema["format"] = .string("date-time")
        case .data:
            schema["type"] = .string("string")
            schema["contentEncoding"] = .string("base64")
        }
    }

    private func write(words schema: inout [String: JSONValue]) {
        schema["title"] = title.map(JSONValue.string)
        schema["description"] = description.map(JSONValue.string)
        schema["default"] = defaultValue
        if !examples.isEmpty { schema["examples"] = .array(examples) }
        if let choices {
            schema["enum"] = .array(choices.map(\.value))
            if choices.contains(where: { $0.title != nil }) {
                schema["x-enum-titles"] = .array(choices.map { $0.title.map(JSONValue.string) ?? .null })
            }
        }
        if let deprecation {
            schema["deprecated"] = .boolean(true)
            let details = Self.object([
                "since": deprecation.since, "until": deprecation.until, "replacedBy": deprecation.replacedBy,
                "note": deprecation.note,
            ])
            if !details.isEmpty { schema["x-deprecated"] = .object(details) }
        }
        schema["x-since"] = since.map(JSONValue.string)
        schema["x-order"] = order.map { .integer(Int64($0)) }
        var form = Self.object(["group": group])
        if isHidden { form["hidden"] = .boolean(true) }
        if !form.isEmpty { schema["x-ui"] = .object(form) }
        if isSensitive { schema["x-sensitive"] = .boolean(true) }
        if let variable {
            schema["x-variable"] = .object(Self.object(["scope": variable.scope, "name": variable.name]))
        }
        if !translations.isEmpty {
            schema["x-i18n"] = .object(
                translations.mapValues {
                    .object(Self.object(["title": $0.title, "description": $0.description]))
                })
        }
    }

    private func write(bounds schema: inout [String: JSONValue]) {
        let values: [String: JSONValue?] = [
            "minimum": bounds.minimum, "maximum": bounds.maximum, "exclusiveMinimum": bounds.exclusiveMinimum,
            "exclusiveMaximum": bounds.exclusiveMaximum, "multipleOf": bounds.multipleOf,
        ]
        let counts = [
            "minLength": bounds.minLength, "maxLength": bounds.maxLength, "minItems": bounds.minItems,
            "maxItems": bounds.maxItems, "minProperties": bounds.minProperties, "maxProperties": bounds.maxProperties,
            "x-minBytes": bounds.minBytes, "x-maxBytes": bounds.maxBytes,
        ]
        let texts = ["pattern": bounds.pattern, "x-minimum": bounds.earliest, "x-maximum": bounds.latest]
        for (keyword, value) in values { if let value { schema[keyword] = value } }
        for (keyword, count) in counts { if let count { schema[keyword] = .integer(Int64(count)) } }
        for (keyword, text) in texts { if let text { schema[keyword] = .string(text) } }
        if let format = bounds.format { schema["format"] = .string(format) }
        if bounds.uniqueItems { schema["uniqueItems"] = .boolean(true) }
    }

    static func object(_ texts: [String: String?]) -> [String: JSONValue] {
        texts.compactMapValues { $0.map(JSONValue.string) }
    }
}

extension AppSpecification {
    /// Makes the document of a specification out of its parts.
    package init(
        app: SpecifiedApp, configuration: SpecifiedKey, secrets: [SpecifiedSecret] = [],
        errors: [SpecifiedError] = [], feedback: [SpecifiedFeedback] = [], samples: [SpecifiedSample] = [],
        extensions: [(identifier: String, specification: AppSpecification)] = []
    ) throws(SpecificationRefusal) {
        var document = configuration.schema
        document["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
        document["type"] = .string("object")
        document["title"] = app.title.map(JSONValue.string)
        document["description"] = app.description.map(JSONValue.string)
        var header = SpecifiedKey.object([
            "bundleIdentifier": app.bundleIdentifier, "version": app.version, "website": app.website,
        ])
        if !app.platforms.isEmpty {
            header["platforms"] = .object(
                app.platforms.mapValues { .object(SpecifiedKey.object(["minimumVersion": $0])) })
        }
        document["x-app"] = .object(header)
        if !secrets.isEmpty { document["x-secrets"] = .array(secrets.map(\.json)) }
        if !errors.isEmpty { document["x-errors"] = .array(errors.map(\.json)) }
        if !feedback.isEmpty { document["x-feedback"] = .array(feedback.map(\.json)) }
        if !samples.isEmpty { document["x-samples"] = .array(samples.map(\.json)) }
        if !extensions.isEmpty {
            let inner = extensions.map { one in
                var document = one.specification.document.object ?? [:]
                document["$schema"] = nil
                document["x-app"] = nil
                return (one.identifier, JSONValue.object(document))
            }
            document["x-extensions"] = .object(Dictionary(inner) { first, _ in first })
        }
        try self.init(.object(document))
    }
}

extension SpecifiedSecret {
    fileprivate var json: JSONValue {
        var entry = SpecifiedKey.object([
            "kind": kind.rawValue, isPrefix ? "prefix" : "identifier": identifier, "purpose": purpose,
        ])
        if isRequired { entry["required"] = .boolean(true) }
        return .object(entry)
    }
}

extension SpecifiedError {
    fileprivate var json: JSONValue {
        var entry = SpecifiedKey.object(["name": name, "meaning": meaning, "remedy": remedy])
        entry["code"] = .integer(Int64(code))
        return .object(entry)
    }
}

extension SpecifiedFeedback {
    fileprivate var json: JSONValue {
        .object(
            SpecifiedKey.object([
                "key": key, "title": title, "description": description, "purpose": purpose, "retention": retention,
            ]))
    }
}

extension SpecifiedSample {
    fileprivate var json: JSONValue {
        var entry = SpecifiedKey.object(["title": title, "description": description])
        entry["configuration"] = configuration
        return .object(entry)
    }
}
