import InputBounds

extension ManifestReader {
    mutating func readWords(_ key: inout SpecifiedKey, _ words: inout ManifestWords, at path: SpecifiedPath) {
        key.title = words.text("pfm_title")
        key.description = words.text("pfm_description")
        key.since = words.text("pfm_app_min")
        let (since, until) = (words.text("pfm_app_deprecated"), words.text("pfm_app_max"))
        if since != nil || until != nil { key.deprecation = SpecifiedDeprecation(since: since, until: until) }
        key.isSensitive = words.flag("pfm_sensitive") ?? false
        if let hidden = words.text("pfm_hidden") {
            if hidden == "all" {
                key.isHidden = true
            } else {
                notes.lose(path, "pfm_hidden", "only whole keys are hidden")
            }
        }
        switch words.text("pfm_require") {
        case "always": key.isRequired = true
        case "always-nested":
            key.isRequired = true
            notes.warn(path, "required", "it is required where its dictionary is there")
        case "push":
            key.isRequired = true
            notes.warn(path, "required", "it is required where a server sends it, as is done here")
        case nil: break
        default: notes.lose(path, "pfm_require", "the format has no such word")
        }
        if words.flag("pfm_required") == true { key.isRequired = true }
        if key.isHidden, key.isRequired {
            key.isRequired = false
            notes.warn(path, "required", "the editor hides it and fills it in itself; here it need not be there")
        }
    }

    mutating func readValues(_ key: inout SpecifiedKey, _ words: inout ManifestWords, at path: SpecifiedPath) {
        key.defaultValue = words.any("pfm_default").flatMap { value($0, of: key, "default", at: path) }
        if let placeholder = words.any("pfm_value_placeholder").flatMap({ value($0, of: key, "examples", at: path) }) {
            key.examples = [placeholder]
        }
        readChoices(&key, &words, at: path)
        readRange(&key, &words, at: path)
        if let format = words.text("pfm_format") {
            if key.type == .string {
                key.bounds.pattern = notes.pattern(format, path)
            } else {
                notes.lose(path, "pattern", "only texts have patterns")
            }
        }
        guard key.type == .array else { return }
        key.bounds.minItems = words.take("pfm_repetition_min") { $0.int.flatMap { $0 >= 0 ? $0 : nil } }
        key.bounds.maxItems = words.take("pfm_repetition_max") { $0.int.flatMap { $0 >= 0 ? $0 : nil } }
        key.bounds.uniqueItems = words.flag("pfm_value_unique") ?? false
    }

    private mutating func readRange(_ key: inout SpecifiedKey, _ words: inout ManifestWords, at path: SpecifiedPath) {
        guard [.integer, .real, .date].contains(key.type) else { return }
        let least = words.any("pfm_range_min").flatMap { value($0, of: key, "pfm_range_min", at: path) }
        let most = (words.any("pfm_range_max") ?? misspelt(&words, at: path))
            .flatMap { value($0, of: key, "pfm_range_max", at: path) }
        if key.type == .date {
            (key.bounds.earliest, key.bounds.latest) = (least?.string, most?.string)
        } else {
            (key.bounds.minimum, key.bounds.maximum) = (least, most)
        }
    }

    /// Some published manifests have the letters of this word in another order.
    private mutating func misspelt(_ words: inout ManifestWords, at path: SpecifiedPath) -> PropertyListValue? {
        guard let value = words.any("pmf_range_max") else { return nil }
        notes.warn(path, "pmf_range_max", "it is taken for pfm_range_max")
        return value
    }

    private mutating func readChoices(_ key: inout SpecifiedKey, _ words: inout ManifestWords, at path: SpecifiedPath) {
        guard let list = words.list("pfm_range_list") else { return }
        var titles = (words.list("pfm_range_list_titles") ?? []).map(\.string)
        if !titles.isEmpty, titles.count != list.count {
            notes.lose(path, "x-enum-titles", "there are not as many titles as values")
            titles = []
        }
        let isOfItems = key.type == .array && list.contains { $0.array == nil }
        var ruled = isOfItems ? key.item.first ?? SpecifiedKey("", .string) : key
        if isOfItems { notes.warn(path, "enum", "the values are taken for those that the list's items may have") }
        var choices: [SpecifiedChoice] = []
        for (index, entry) in list.enumerated() {
            guard let value = value(entry, of: ruled, "enum", at: path) else { continue }
            choices.append(SpecifiedChoice(value: value, title: titles.isEmpty ? nil : titles[index]))
        }
        if words.flag("pfm_range_list_allow_custom_value") == true {
            notes.warn(path, "enum", "other values are allowed; those listed are taken for examples")
            ruled.examples += choices.map(\.value)
        } else {
            ruled.choices = choices
        }
        if isOfItems { key.item = [ruled] } else { key = ruled }
    }

    /// A value of a key's type; types that manifests mix up are put right.
    private mutating func value(
        _ value: PropertyListValue, of key: SpecifiedKey, _ keyword: String, at path: SpecifiedPath
    ) -> JSONValue? {
        var described = JSONValue(describing: value)
        if case .unsigned = value { described = .null }
        if ProfileManifest.propertyList(described, of: key) != nil { return described }
        let mended: JSONValue? =
            switch (key.type, value) {
            case (.integer, .real(let number)): Int64(exactly: number).map(JSONValue.integer)
            case (.integer, .string(let text)), (.real, .string(let text)), (.boolean, .string(let text)),
                (.date, .string(let text)):
                ScalarText.value(text, as: key.type)?.value
            case (.boolean, .integer(let number)): number == 0 || number == 1 ? .boolean(number == 1) : nil
            case (.string, .integer(let number)): .string("\(number)")
            case (.string, .boolean(let flag)): .string(flag ? "true" : "false")
            default: nil
            }
        guard let mended, ProfileManifest.propertyList(mended, of: key) != nil else {
            notes.lose(path, keyword, "it is not of the key's type")
            return nil
        }
        notes.warn(path, keyword, "it is not of the key's type, and was put right")
        return mended
    }
}
