import Foundation
import InputBounds
import JSONSchema

extension SpecifiedKey {
    /// Why a value is none that this key may have; nothing where it is one.
    func fault(of value: JSONValue) -> String? {
        let list: PropertyListValue
        do {
            list = try propertyList(value)
        } catch {
            return error.rule
        }
        guard let rules = try? JSONSchema(.object(self.schema)) else { return nil }
        return rules.violations(of: list, most: 1).first?.allowed
    }

    /// Whether a value is of this key's type as it stands, for types whose values can be told at once.
    fileprivate func isPlainly(_ value: JSONValue) -> Bool {
        switch (type, value) {
        case (.string, .string), (.integer, .integer), (.real, .integer), (.real, .real), (.boolean, .boolean): true
        default: false
        }
    }

    /// The value in the form that this key's type has, where it is only written in another: `"180"` for an integer.
    ///
    /// Whether the key allows it is another question.
    func mended(_ value: JSONValue) -> JSONValue? {
        switch (type, value) {
        case (.integer, .real(let number)): Int64(exactly: number).map(JSONValue.integer)
        case (.boolean, .integer(let number)): number == 0 || number == 1 ? .boolean(number == 1) : nil
        case (.date, .string(let text)): Self.moment(text)
        case (.integer, .string(let text)), (.real, .string(let text)), (.boolean, .string(let text)):
            ScalarText.value(text, as: type)?.value
        case (.string, .integer), (.string, .real), (.string, .boolean): ScalarText.text(value).map(JSONValue.string)
        case (.array, .array(let items)):
            item.first.map { inner in JSONValue.array(items.map { inner.mended($0) ?? $0 }) }
        case (.dictionary, .object(let entries)): mended(entries)
        default: nil
        }
    }

    private func mended(_ entries: [String: JSONValue]) -> JSONValue {
        var mended = entries
        for (name, entry) in entries {
            if let value = (self[name] ?? values.first)?.mended(entry) { mended[name] = value }
        }
        return .object(mended)
    }

    /// A date as property lists have it: in UTC, in whole seconds.
    private static func moment(_ text: String) -> JSONValue? {
        guard let written = ScalarText.value(text, as: .date)?.value.string else { return nil }
        if PropertyListValue.date(parsing: written) != nil { return .string(written) }
        return (try? Date(written, strategy: .iso8601)).map { .string(PropertyListValue.text(of: $0)) }
    }

    /// The key without defaults and examples that it does not allow itself, and what became of each.
    ///
    /// A published file often has `"180"` where the key is an integer, or an empty text where three letters are wanted.
    /// By the letter such a specification is wrong as a whole; the app works all the same.
    package func withAllowedValues() -> (key: SpecifiedKey, notes: [ConversionNote]) {
        var notes = ConversionNotes()
        var key = self
        notes.mendValues(of: &key, at: [])
        return (key, notes.all)
    }
}

extension ConversionNotes {
    /// Puts right or leaves out what a key says of itself and does not allow, and the same of all keys inside.
    mutating func mendValues(of key: inout SpecifiedKey, at path: SpecifiedPath) {
        for index in key.keys.indices {
            let inside = path + .key(key.keys[index].name)
            mendValues(of: &key.keys[index], at: inside)
        }
        for index in key.item.indices { mendValues(of: &key.item[index], at: path + .item) }
        for index in key.values.indices { mendValues(of: &key.values[index], at: path + .value) }
        mendChoices(of: &key, at: path)
        if key.defaultValue != nil || !key.examples.isEmpty { mendOwnValues(of: &key, at: path) }
    }

    /// Puts right or leaves out values to choose from that are of another type than the key.
    ///
    /// Where nothing is left to choose from, the key takes whatever is of its type.
    mutating func mendChoices(of key: inout SpecifiedKey, at path: SpecifiedPath) {
        guard let choices = key.choices, key.type != .any else { return }
        var bare = SpecifiedKey(key.name, key.type)
        bare.item = key.item
        var kept: [SpecifiedChoice] = []
        for choice in choices {
            let value = bare.isPlainly(choice.value) || bare.fault(of: choice.value) == nil ? choice.value : nil
            let mended = value ?? bare.mended(choice.value)
            guard let mended, value != nil || bare.fault(of: mended) == nil else { continue }
            kept.append(SpecifiedChoice(value: mended, title: choice.title))
        }
        guard kept != choices || choices.isEmpty else { return }
        key.choices = kept.isEmpty ? nil : kept
        if kept.isEmpty {
            lose(path, "enum", "it is left out: it holds no value of the key's type")
        } else if kept.count < choices.count {
            lose(path, "enum", "values that are not of the key's type are left out of it")
        } else {
            warn(path, "enum", "its values are not of the key's type, and were put right")
        }
    }

    /// The same of one key alone.
    mutating func mendOwnValues(of key: inout SpecifiedKey, at path: SpecifiedPath) {
        if let value = key.defaultValue { key.defaultValue = foreign(value, of: &key, at: path) }
        let judged = key
        key.defaultValue = key.defaultValue.flatMap { mended($0, of: judged, "default", at: path) }
        key.examples = key.examples.compactMap { mended($0, of: judged, "examples", at: path) }
    }

    private mutating func mended(
        _ value: JSONValue, of key: SpecifiedKey, _ keyword: String, at path: SpecifiedPath
    ) -> JSONValue? {
        let fault = key.fault(of: value)
        // A date may be written with its distance from UTC; what is published has it as property lists do.
        guard fault != nil || key.type == .date else { return value }
        if let mended = key.mended(value), key.fault(of: mended) == nil {
            if mended != value { warn(path, keyword, "it is not of the key's type, and was put right") }
            return mended
        }
        guard let fault else { return value }
        lose(path, keyword, "it is left out, because the key does not allow it: \(fault.prefix(120))")
        return nil
    }

    /// A default that another management fills in is no value: the key gets the variable in its place.
    private mutating func foreign(_ value: JSONValue, of key: inout SpecifiedKey, at path: SpecifiedPath) -> JSONValue?
    {
        guard let text = value.string, let found = ForeignVariable.first(in: text) else { return value }
        guard let ours = found.ours else {
            warn(path, "default", "\(found.spelling) is a variable of another management; nothing here stands for it")
            return value
        }
        guard key.type == .string, key.variable == nil, found.spelling == text, let variable = found.specified else {
            warn(path, "default", "\(found.spelling) is a variable of another management; here it is ${\(ours)}")
            return value
        }
        key.variable = variable
        warn(path, "x-variable", "\(found.spelling) is a variable of another management; here it is ${\(ours)}")
        return nil
    }
}
