import InputBounds

extension AppConfigXML {
    /// What the format can carry of a specification.
    static func reduced(_ specification: AppSpecification) -> (root: SpecifiedKey, notes: [ConversionNote]) {
        var reduction = KeyReduction(for: name)
        var root = specification.configuration
        reduction.keep(["title", "description"], of: &root, at: [])
        var keys: [SpecifiedKey] = []
        for var key in root.keys {
            if reduce(&key, at: [.key(key.name)], &reduction) { keys.append(key) }
        }
        reduction.number(&keys, at: [])
        root.keys = keys
        return (root, specification.lossesAroundKeys(of: name, except: ["x-locale", "x-revision"]) + reduction.notes)
    }

    private static let common: Set = [
        "title", "description", "required", "default", "x-order", "x-ui.group", "x-ui.hidden", "x-i18n",
    ]

    private static func carried(_ key: SpecifiedKey) -> Set<String> {
        switch key.type {
        case .string: common.union(["enum", "x-enum-titles", "minLength", "maxLength", "pattern", "x-variable"])
        case .integer, .real: common.union(["enum", "x-enum-titles", "minimum", "maximum"])
        case .date: common.union(["x-minimum", "x-maximum"])
        case .array:
            common.union(["minItems", "maxItems"]).union(key.item.first?.type == .string ? ["x-variable"] : [])
        default: common
        }
    }

    private static func reduce(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) -> Bool {
        guard element(key) != nil else {
            reduction.leaveOut(path, because: "\(name) has no \(phrase(key))")
            return false
        }
        guard reduction.loseWhatXMLCannotHold(of: &key, at: path) else { return false }
        reduction.keep(carried(key), of: &key, at: path)
        if var item = key.item.first {
            let isText = item.type == .string
            _ = reduction.loseWhatXMLCannotHold(of: &item, at: path + .item)
            reduction.keep(
                isText ? ["enum", "x-enum-titles", "pattern"] : ["enum", "x-enum-titles"], of: &item, at: path + .item)
            reduceChoices(&item, at: path + .item, &reduction)
            key.item = [item]
        }
        reduceChoices(&key, at: path, &reduction)
        reduceBounds(&key, at: path, &reduction)
        reduceDefault(&key, at: path, &reduction)
        let isTranslated = key.translations.allSatisfy { isLanguage($0.key) && $0.value != SpecifiedTranslation() }
        if !isTranslated {
            reduction.lose("x-i18n", of: &key, at: path, because: "a language tag is malformed or empty")
        }
        return true
    }

    private static func phrase(_ key: SpecifiedKey) -> String {
        switch key.type {
        case .array: "lists of anything but texts and numbers"
        case .dictionary: "dictionaries in the configuration"
        case .data: "data"
        default: "values of just any type"
        }
    }

    private static func reduceChoices(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        guard let choices = key.choices else { return }
        guard !choices.isEmpty, choices.allSatisfy({ ScalarText.holds($0.value, as: key.type) }) else {
            return reduction.lose("enum", of: &key, at: path, because: "a value is not of the key's type, or too large")
        }
        guard choices.contains(where: { $0.title != nil }) else { return }
        guard Set(choices.map(\.value)).count == choices.count else {
            return reduction.lose("x-enum-titles", of: &key, at: path, because: "a value stands there twice")
        }
        guard choices.contains(where: { $0.title == nil }) else { return }
        // A form offers only what has a title.
        key.choices = choices.map { SpecifiedChoice(value: $0.value, title: $0.title ?? ScalarText.text($0.value)) }
        reduction.note(.init(.warning, path, "x-enum-titles", "values without a title are titled by themselves"))
    }

    private static func reduceBounds(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        if key.bounds.pattern != nil {
            for bound in ["minLength", "maxLength"] {
                reduction.lose(bound, of: &key, at: path, because: "beside a pattern, \(name) ignores it")
            }
        }
        if key.item.first?.bounds.pattern != nil {
            for bound in ["minItems", "maxItems"] {
                reduction.lose(bound, of: &key, at: path, because: "beside a pattern, \(name) ignores it")
            }
        }
        for bound in ["minLength", "maxLength", "minItems", "maxItems"] {
            guard let value = SpecifiedFacet.named[bound]?.value(key), !ScalarText.holds(value, as: .integer) else {
                continue
            }
            reduction.lose(bound, of: &key, at: path, because: "numbers have 32 bits there")
        }
        for bound in ["minimum", "maximum"] {
            guard let value = SpecifiedFacet.named[bound]?.value(key), !ScalarText.holds(value, as: key.type) else {
                continue
            }
            reduction.lose(bound, of: &key, at: path, because: "it is not of the key's type, or too large")
        }
    }

    private static func reduceDefault(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        if let variable = key.variable {
            if variables[variable.scope]?.contains(variable.name) != true {
                reduction.lose("x-variable", of: &key, at: path, because: "it is none of the format's variables")
            } else {
                reduction.lose("default", of: &key, at: path, because: "the variable stands in its place")
            }
        }
        guard let value = key.defaultValue else { return }
        let type = key.item.first?.type ?? key.type
        let isHeld =
            key.type == .array
            ? value.array?.allSatisfy { ScalarText.holds($0, as: type) } ?? false : ScalarText.holds(value, as: type)
        if !isHeld {
            reduction.lose("default", of: &key, at: path, because: "it is not of the key's type, or too large")
        }
    }
}
