import Foundation
import InputBounds

extension ProfileManifest {
    static func write(_ specification: AppSpecification) -> Converted<Data> {
        let (root, conditions, notes) = reduced(specification)
        var manifest = envelope
        manifest["pfm_domain"] = .string(specification.app.bundleIdentifier)
        manifest["pfm_title"] = root.title.map(PropertyListValue.string)
        manifest["pfm_description"] = root.description.map(PropertyListValue.string)
        let platforms = specification.app.platforms
        if !platforms.isEmpty {
            manifest["pfm_platforms"] = .array(platforms.keys.sorted().map(PropertyListValue.string))
        }
        for (platform, version) in platforms {
            if let word = leastVersion(platform), let version { manifest[word] = .string(version) }
        }
        manifest["pfm_subkeys"] = .array(
            root.keys.map { key in
                let words = entry(key).merging(conditions[key.name] ?? [:]) { word, _ in word }
                return .dictionary(words)
            })
        return Converted(PropertyListValue.dictionary(manifest).xml(), notes: notes)
    }

    /// The constant keys of every manifest.
    static let envelope: [String: PropertyListValue] = [
        "pfm_format_version": .integer(1), "pfm_version": .integer(1), "pfm_unique": .boolean(true),
        "pfm_interaction": .string("exclusive"),
    ]

    private static func entry(_ key: SpecifiedKey) -> [String: PropertyListValue] {
        var entry = words(key)
        entry["pfm_type"] = .string(key.type.rawValue)
        entry["pfm_default"] = key.defaultValue.flatMap { propertyList($0, of: key) }
        entry["pfm_value_placeholder"] = key.examples.first.flatMap { propertyList($0, of: key) }
        if let choices = key.choices {
            entry["pfm_range_list"] = .array(choices.compactMap { propertyList($0.value, of: key) })
            let titles = choices.compactMap(\.title)
            if !titles.isEmpty { entry["pfm_range_list_titles"] = .array(titles.map(PropertyListValue.string)) }
        }
        let moments = [key.bounds.earliest, key.bounds.latest].map { $0.map(JSONValue.string) }
        let least = key.bounds.minimum ?? moments[0]
        let most = key.bounds.maximum ?? moments[1]
        entry["pfm_range_min"] = least.flatMap { propertyList($0, of: key) }
        entry["pfm_range_max"] = most.flatMap { propertyList($0, of: key) }
        entry["pfm_repetition_min"] = key.bounds.minItems.map { .integer(Int64($0)) }
        entry["pfm_repetition_max"] = key.bounds.maxItems.map { .integer(Int64($0)) }
        if key.bounds.uniqueItems { entry["pfm_value_unique"] = .boolean(true) }
        let subkeys = key.type == .array ? key.item : key.keys
        if !subkeys.isEmpty { entry["pfm_subkeys"] = .array(subkeys.map { .dictionary(self.entry($0)) }) }
        return entry
    }

    private static func words(_ key: SpecifiedKey) -> [String: PropertyListValue] {
        let texts: [String: String?] = [
            "pfm_title": key.title, "pfm_description": key.description, "pfm_format": key.bounds.pattern,
            "pfm_app_min": key.since, "pfm_app_deprecated": key.deprecation?.since,
            "pfm_app_max": key.deprecation?.until, "pfm_require": key.isRequired ? "always" : nil,
            "pfm_hidden": key.isHidden ? "all" : nil, "pfm_name": key.name.isEmpty ? nil : key.name,
        ]
        var words = texts.compactMapValues { $0.map(PropertyListValue.string) }
        if key.isSensitive { words["pfm_sensitive"] = .boolean(true) }
        return words
    }
}
