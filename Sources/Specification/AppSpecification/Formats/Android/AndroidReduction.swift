import InputBounds

extension AndroidRestrictions {
    /// What restrictions can carry of a specification; values that are listed stay, for the remark that holds them.
    static func reduced(_ specification: AppSpecification) -> (root: SpecifiedKey, notes: [ConversionNote]) {
        var reduction = KeyReduction(for: name)
        var root = specification.configuration
        reduction.keep(["title", "description"], of: &root, at: [])
        (root.title, root.description) = (nil, nil)
        reduceKeys(&root, at: [], &reduction)
        let identifier = ConversionNote(.loss, [], "x-app.bundleIdentifier", "\(name) name no app")
        return (root, [identifier] + specification.lossesAroundKeys(of: name) + reduction.notes)
    }

    private static let common: Set = ["title", "description", "x-order"]

    private static func reduceKeys(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        var keys: [SpecifiedKey] = []
        for var inner in key.keys {
            guard reduce(&inner, at: path + .key(inner.name), &reduction) else { continue }
            keys.append(inner)
        }
        reduction.number(&keys, at: path)
        key.keys = keys
    }

    private static func reduce(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) -> Bool {
        if let reason = reasonToLeaveOut(key, at: path) {
            reduction.leaveOut(path, because: reason)
            return false
        }
        guard reduction.loseWhatXMLCannotHold(of: &key, at: path) else { return false }
        switch key.type {
        case .array: reduceList(&key, at: path, &reduction)
        case .string:
            reduction.keep(common.union(["default", "enum", "x-enum-titles", "x-ui.hidden"]), of: &key, at: path)
            reduceDefault(&key, at: path, &reduction)
            if key.defaultValue == nil {
                reduction.lose("x-ui.hidden", of: &key, at: path, because: "what is hidden wants a default")
            }
            reduceChoices(&key, at: path, &reduction)
        case .integer, .boolean: reduction.keep(common.union(["default"]), of: &key, at: path)
        default:
            reduction.keep(common.union(["default"]), of: &key, at: path)
            key.type = .string
            key.defaultValue = key.defaultValue.map { value in ScalarText.text(value).map(JSONValue.string) ?? value }
            reduction.note(.init(.loss, path, "type", "\(name) have no such type; it is a text there"))
        }
        reduceDefault(&key, at: path, &reduction)
        entitle(&key, key.name, at: path, &reduction)
        return true
    }

    private static func reduceDefault(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        guard let value = key.defaultValue, !ScalarText.holds(value, as: key.type) else { return }
        reduction.lose("default", of: &key, at: path, because: "it is not of the key's type, or too large")
    }

    private static func reasonToLeaveOut(_ key: SpecifiedKey, at path: SpecifiedPath) -> String? {
        let isInside = path.steps.contains(.item)
        switch (key.type, key.item.first?.type) {
        case (.any, _): return "\(name) have no values of just any type"
        case (.dictionary, _): return "dictionaries stand in lists alone there"
        case (.array, .dictionary):
            return isInside ? "\(name) nest no deeper" : key.item[0].keys.isEmpty ? "dictionaries have keys there" : nil
        case (.array, .string):
            return key.item[0].choices?.isEmpty == false ? nil : "lists are of dictionaries or listed texts there"
        case (.array, _): return "lists are of dictionaries or listed texts there"
        default: return nil
        }
    }

    private static func reduceList(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        guard var item = key.item.first else { return }
        reduction.keep(common, of: &key, at: path)
        _ = reduction.loseWhatXMLCannotHold(of: &item, at: path + .item)
        if item.type == .dictionary {
            reduction.keep(["title", "description"], of: &item, at: path + .item)
            reduceKeys(&item, at: path + .item, &reduction)
            entitle(&item, key.name, at: path + .item, &reduction)
        } else {
            reduction.keep(["enum", "x-enum-titles"], of: &item, at: path + .item)
            reduceChoices(&item, at: path + .item, &reduction)
        }
        key.item = [item]
    }

    /// Restrictions only refer to values, which another file lists.
    private static func reduceChoices(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        guard let choices = key.choices else { return }
        guard !choices.isEmpty, choices.allSatisfy({ $0.value.string != nil }) else {
            return reduction.lose("enum", of: &key, at: path, because: "a value is no text")
        }
        let isShown = !key.isHidden
        let reason =
            isShown ? "the values belong in a resource file; a remark holds them" : "what is hidden has no choice"
        if choices.contains(where: { $0.title != nil }) { reduction.note(.init(.loss, path, "x-enum-titles", reason)) }
        reduction.note(.init(.loss, path, "enum", reason))
        if !isShown { key.choices = nil }
    }

    /// Each restriction wants a title.
    private static func entitle(
        _ key: inout SpecifiedKey, _ title: String, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        guard key.title == nil else { return }
        key.title = title
        reduction.note(.init(.warning, path, "title", "\(name) want one; it is the key's name"))
    }
}
