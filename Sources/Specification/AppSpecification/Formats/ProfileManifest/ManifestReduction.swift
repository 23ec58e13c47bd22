import InputBounds

extension ProfileManifest {
    /// What a manifest can carry of a specification; the conditions between its keys are words of each key.
    static func reduced(
        _ specification: AppSpecification
    ) -> (root: SpecifiedKey, conditions: [String: [String: PropertyListValue]], notes: [ConversionNote]) {
        var reduction = KeyReduction(for: name)
        var root = specification.configuration
        _ = reduction.loseWhatXMLCannotHold(of: &root, at: [])
        // What is referred to from elsewhere stays with the other keywords.
        let schemas = specification.document["allOf"]?.array ?? []
        if !schemas.isEmpty { root.others.removeAll { $0 == "allOf" } }
        reduction.keep(["title", "description"], of: &root, at: [])
        reduceKeys(&root, at: [], &reduction)
        let conditions = ManifestConditions(schemas, among: root.keys)
        for (platform, version) in specification.app.platforms.sorted(by: { $0.key < $1.key })
        where version != nil && leastVersion(platform) == nil {
            reduction.note(.init(.loss, [], "x-app.platforms", "from which version of \(platform) on is not carried"))
        }
        if root.title == nil {
            root.title = specification.app.bundleIdentifier
            reduction.note(.init(.warning, [], "title", "\(name) wants one; it is the bundle identifier"))
        }
        if root.description == nil {
            root.description = root.title
            reduction.note(.init(.warning, [], "description", "\(name) wants one; it is the title"))
        }
        let around = specification.lossesAroundKeys(of: name, except: ["title", "description", "x-app.platforms"])
        return (root, conditions.words, around + reduction.notes + conditions.notes)
    }

    private static let common: Set = [
        "title", "description", "required", "default", "examples", "enum", "x-enum-titles", "x-order", "x-ui.hidden",
        "x-sensitive", "x-since", "deprecated", "x-deprecated.since", "x-deprecated.until",
    ]

    private static func carried(_ type: SpecifiedType) -> Set<String> {
        switch type {
        case .string: common.union(["pattern"])
        case .integer, .real: common.union(["minimum", "maximum"])
        case .date: common.union(["x-minimum", "x-maximum"])
        case .array: common.union(["minItems", "maxItems", "uniqueItems"])
        default: common
        }
    }

    private static func reduceKeys(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        var keys: [SpecifiedKey] = []
        for var inner in key.keys where reduce(&inner, at: path + .key(inner.name), &reduction) { keys.append(inner) }
        reduction.number(&keys, at: path)
        key.keys = keys
    }

    private static func reduce(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) -> Bool {
        guard key.type != .any else {
            reduction.leaveOut(path, because: "\(name) has no values of just any type")
            return false
        }
        guard reduction.loseWhatXMLCannotHold(of: &key, at: path) else { return false }
        reduction.keep(carried(key.type), of: &key, at: path)
        if key.isHidden {
            reduction.lose("required", of: &key, at: path, because: "editors fill in themselves what they hide")
        }
        reduceKeys(&key, at: path, &reduction)
        if var item = key.item.first {
            if item.type == .any {
                reduction.note(.init(.loss, path, "items", "\(name) has no values of just any type"))
                key.item = []
            } else {
                _ = reduce(&item, at: path + .item, &reduction)
                key.item = [item]
            }
        }
        if let deprecation = key.deprecation, deprecation.since == nil, deprecation.until == nil {
            reduction.lose("deprecated", of: &key, at: path, because: "\(name) names the version from which on")
        }
        reduceValues(&key, at: path, &reduction)
        return true
    }

    private static func reduceValues(
        _ key: inout SpecifiedKey, at path: SpecifiedPath, _ reduction: inout KeyReduction
    ) {
        let isOfType = { [key] (value: JSONValue) in propertyList(value, of: key) != nil }
        let reason = "it is not of the key's type, or no property list"
        for keyword in ["default", "minimum", "maximum"] {
            guard let value = SpecifiedFacet.named[keyword]?.value(key), !isOfType(value) else { continue }
            reduction.lose(keyword, of: &key, at: path, because: reason)
        }
        if key.examples.count > 1 || !key.examples.allSatisfy(isOfType) {
            reduction.lose("examples", of: &key, at: path, because: "\(name) has one, of the key's type")
        }
        guard let choices = key.choices else { return }
        guard choices.allSatisfy({ isOfType($0.value) }) else {
            return reduction.lose("enum", of: &key, at: path, because: reason)
        }
        guard choices.contains(where: { $0.title != nil }), choices.contains(where: { $0.title == nil }) else { return }
        key.choices = choices.map {
            let title = $0.title ?? ScalarText.text($0.value) ?? String(decoding: $0.value.encoded(), as: UTF8.self)
            return SpecifiedChoice(value: $0.value, title: title)
        }
        reduction.note(.init(.warning, path, "x-enum-titles", "values without a title are titled by themselves"))
    }
}
