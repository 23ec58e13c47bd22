import InputBounds

/// One thing that can be said of a key: what another format carries or leaves out.
struct SpecifiedFacet: Sendable {
    let keyword: String
    /// What is said, if anything is.
    let value: @Sendable (SpecifiedKey) -> JSONValue?
    let clear: @Sendable (inout SpecifiedKey) -> Void

    /// All there are, except for type and name and what lies inside.
    static let all: [SpecifiedFacet] = words + bounds + places

    // Keys: ours.
    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.keyword, $0) })

    private static let words: [SpecifiedFacet] = [
        text("title", \.title), text("description", \.description), flag("required", \.isRequired),
        json("default", \.defaultValue),
        SpecifiedFacet("examples") {
            $0.examples.isEmpty ? nil : .array($0.examples)
        } clear: {
            $0.examples = []
        },
        SpecifiedFacet("enum") {
            $0.choices.map { .array($0.map(\.value)) }
        } clear: {
            $0.choices = nil
        },
        SpecifiedFacet("x-enum-titles") { key in
            let titles = (key.choices ?? []).map { $0.title.map(JSONValue.string) ?? .null }
            return titles.allSatisfy(\.isNull) ? nil : .array(titles)
        } clear: {
            $0.choices = $0.choices.map { $0.map { SpecifiedChoice(value: $0.value) } }
        },
        SpecifiedFacet("deprecated") {
            $0.deprecation == nil ? nil : .boolean(true)
        } clear: {
            $0.deprecation = nil
        },
        text("x-deprecated.since", \.deprecation?.since) { $0.deprecation?.since = nil },
        text("x-deprecated.until", \.deprecation?.until) { $0.deprecation?.until = nil },
        text("x-deprecated.replacedBy", \.deprecation?.replacedBy) { $0.deprecation?.replacedBy = nil },
        text("x-deprecated.note", \.deprecation?.note) { $0.deprecation?.note = nil },
    ]

    private static let bounds: [SpecifiedFacet] = [
        json("minimum", \.bounds.minimum), json("maximum", \.bounds.maximum),
        json("exclusiveMinimum", \.bounds.exclusiveMinimum), json("exclusiveMaximum", \.bounds.exclusiveMaximum),
        json("multipleOf", \.bounds.multipleOf), count("minLength", \.bounds.minLength),
        count("maxLength", \.bounds.maxLength), text("pattern", \.bounds.pattern), text("format", \.bounds.format),
        count("minItems", \.bounds.minItems), count("maxItems", \.bounds.maxItems),
        flag("uniqueItems", \.bounds.uniqueItems), count("minProperties", \.bounds.minProperties),
        count("maxProperties", \.bounds.maxProperties), text("x-minimum", \.bounds.earliest),
        text("x-maximum", \.bounds.latest), count("x-minBytes", \.bounds.minBytes),
        count("x-maxBytes", \.bounds.maxBytes),
        SpecifiedFacet("additionalProperties") {
            $0.isOpen ? $0.values.first.map { .object($0.schema) } : .boolean(false)
        } clear: {
            $0.isOpen = true
            $0.values = []
        },
    ]

    private static let places: [SpecifiedFacet] = [
        text("x-since", \.since), count("x-order", \.order), text("x-ui.group", \.group),
        flag("x-ui.hidden", \.isHidden), flag("x-sensitive", \.isSensitive),
        SpecifiedFacet("x-variable") {
            $0.variable.map { .array([.string($0.scope), .string($0.name)]) }
        } clear: {
            $0.variable = nil
        },
        SpecifiedFacet("x-i18n") { key in
            guard !key.translations.isEmpty else { return nil }
            return .array(
                key.translations.flatMap { tag, words in
                    [tag, words.title, words.description].compactMap { $0.map(JSONValue.string) }
                })
        } clear: {
            $0.translations = [:]
        },
    ]

    // MARK: Making one

    private init(
        _ keyword: String, value: @escaping @Sendable (SpecifiedKey) -> JSONValue?,
        clear: @escaping @Sendable (inout SpecifiedKey) -> Void
    ) {
        (self.keyword, self.value, self.clear) = (keyword, value, clear)
    }

    private typealias Path<Value> = WritableKeyPath<SpecifiedKey, Value> & Sendable

    private static func json(_ keyword: String, _ path: any Path<JSONValue?>) -> SpecifiedFacet {
        SpecifiedFacet(keyword) {
            $0[keyPath: path]
        } clear: {
            $0[keyPath: path] = nil
        }
    }

    private static func text(_ keyword: String, _ path: any Path<String?>) -> SpecifiedFacet {
        text(keyword, path) { $0[keyPath: path] = nil }
    }

    private static func text(
        _ keyword: String, _ path: any KeyPath<SpecifiedKey, String?> & Sendable,
        clear: @escaping @Sendable (inout SpecifiedKey) -> Void
    ) -> SpecifiedFacet {
        SpecifiedFacet(keyword) {
            $0[keyPath: path].map(JSONValue.string)
        } clear: {
            clear(&$0)
        }
    }

    private static func count(_ keyword: String, _ path: any Path<Int?>) -> SpecifiedFacet {
        SpecifiedFacet(keyword) {
            $0[keyPath: path].map { .integer(Int64($0)) }
        } clear: {
            $0[keyPath: path] = nil
        }
    }

    private static func flag(_ keyword: String, _ path: any Path<Bool>) -> SpecifiedFacet {
        SpecifiedFacet(keyword) {
            $0[keyPath: path] ? .boolean(true) : nil
        } clear: {
            $0[keyPath: path] = false
        }
    }
}
