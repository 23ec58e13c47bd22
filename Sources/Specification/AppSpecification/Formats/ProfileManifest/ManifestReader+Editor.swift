import InputBounds

extension ManifestReader {
    /// Whether an entry is a control of the manifest's editor, such as its tabs, and no key of the app.
    ///
    /// Editors name theirs `PFC_…`, give tabs `pfm_segments`, and leave out of the profile what is `pfm_excluded`; the
    /// values that they require for them are in no configuration.
    static func isControl(_ entry: PropertyListValue) -> Bool {
        entry["pfm_segments"] != nil || entry["pfm_excluded"]?.bool == true
            || entry["pfm_name"]?.string?.lowercased().hasPrefix("pfc_") == true
    }

    /// Reads what stands for the keys that an administrator chooses: of `{{key}}` their names, of `{{value}}` what lies
    /// under each.
    mutating func readChosenKey(
        _ placeholder: String, of dictionary: inout SpecifiedKey, _ entry: PropertyListValue, at path: SpecifiedPath
    ) {
        let inner = path + .value
        guard placeholder != "key" else {
            notes.warn(path, "additionalProperties", "the administrator chooses the names of its keys")
            let isOneOfSome = entry["pfm_range_list_allow_custom_value"]?.bool != true
            if entry["pfm_format"] != nil || entry["pfm_range_list"] != nil && isOneOfSome {
                notes.lose(inner, "propertyNames", "which names the keys may have is not kept")
            }
            return
        }
        guard dictionary.values.isEmpty else {
            return notes.lose(inner, "additionalProperties", "its keys have several kinds of values; the first counts")
        }
        guard var value = readKey("", entry, at: inner) else { return }
        // It is required beside its name, not of the dictionary.
        value.isRequired = false
        dictionary.values = [value]
    }
}
