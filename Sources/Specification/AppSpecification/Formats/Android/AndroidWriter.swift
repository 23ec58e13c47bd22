import Foundation
import InputBounds

extension AndroidRestrictions {
    static func write(_ specification: AppSpecification) throws(SpecificationRefusal) -> Converted<Data> {
        let (root, notes) = reduced(specification)
        guard !root.keys.isEmpty else {
            throw SpecificationRefusal(
                place: "/properties", rule: "\(name) can carry none of these keys: \(notes.keysLeftOut)")
        }
        var writer = AndroidWriter()
        return Converted(writer.write(root), notes: notes)
    }
}

/// Writes restrictions, and the lists that they refer to as a remark.
private struct AndroidWriter {
    private var arrays: [String] = []
    private var names: Set<String> = []

    mutating func write(_ root: SpecifiedKey) -> Data {
        var inside: [(SpecifiedKey, values: String?)] = []
        for key in root.keys { inside.append((key, list(of: key))) }
        var xml = XMLWriter()
        xml.element(AndroidRestrictions.root, ["xmlns:android": AndroidRestrictions.namespace]) { xml in
            for (key, values) in inside { restriction(key, named: key.name, values, &xml) }
        }
        if !arrays.isEmpty {
            xml.comment(["Copy these lists into res/values/arrays.xml.", "<resources>"] + arrays + ["</resources>"])
        }
        return xml.data
    }

    private mutating func restriction(
        _ key: SpecifiedKey, named name: String, _ values: String?, _ xml: inout XMLWriter
    ) {
        let type = AndroidRestrictions.restrictionType(key)
        var inside: [(SpecifiedKey, name: String, values: String?)] = []
        if let item = key.item.first, item.type == .dictionary { inside = [(item, name + "_item", nil)] }
        for inner in key.keys { inside.append((inner, inner.name, list(of: inner))) }
        xml.element(
            "restriction",
            [
                "android:key": AndroidRestrictions.escaped(name), "android:restrictionType": type,
                "android:title": key.title.map(AndroidRestrictions.escaped),
                "android:description": key.description.map(AndroidRestrictions.escaped),
                "android:defaultValue": key.defaultValue.flatMap(ScalarText.text).map(AndroidRestrictions.escaped),
                "android:entries": values.map { "@array/\($0)_entries" },
                "android:entryValues": values.map { "@array/\($0)_values" },
            ]
        ) { xml in
            for (inner, name, values) in inside { restriction(inner, named: name, values, &xml) }
        }
    }

    /// Keeps the values of a key for the remark, under a name that is not taken.
    private mutating func list(of key: SpecifiedKey) -> String? {
        guard let choices = (key.item.first ?? key).choices else { return nil }
        let word = String(key.name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        var name = word.first?.isLetter == true ? word : "key_" + word
        while !names.insert(name).inserted { name += "_" }
        for (suffix, texts) in [
            ("entries", choices.map { $0.title ?? $0.value.string ?? "" }),
            ("values", choices.map { $0.value.string ?? "" }),
        ] {
            arrays.append("  <string-array name=\"\(name)_\(suffix)\">")
            for text in texts {
                let escaped = AndroidRestrictions.escaped(text).replacing(scalars: "'", with: "\\'")
                    .replacing(scalars: "\"", with: "\\\"")
                arrays.append("    <item>\(XMLWriter.escaped(escaped, isAttribute: false))</item>")
            }
            arrays.append("  </string-array>")
        }
        return name
    }
}
