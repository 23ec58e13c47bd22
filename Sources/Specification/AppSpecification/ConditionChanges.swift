import InputBounds
import JSONSchema

/// Finds changes after which a condition between keys holds, or no longer does.
///
/// It knows the words that conditions are made of: whether keys are there, which values they have, what a list contains,
/// and all of these combined. Every way found is only tried: whether it helps, the schema says.
struct ConditionChanges {
    /// Ways for each condition, and conditions within one another.
    private static let most = 8
    private static let depth = 16

    private typealias Way = [ExampleChange]

    private let configuration: SpecifiedKey
    private let trials: ConditionTrials

    /// Searches with the same trials have no more than these together.
    init(of configuration: SpecifiedKey, by trials: ConditionTrials) {
        (self.configuration, self.trials) = (configuration, trials)
    }

    /// Ways to reach what is wanted; each is changes that come one after the other.
    func ways(to wanted: SchemaCondition, in example: PropertyListValue) -> [[ExampleChange]] {
        // A condition that people write has a few words. Each word is read by itself, so a large one would cost its square.
        var words = [wanted.schema]
        var count = 0
        while let word = words.popLast() {
            count += 1
            guard count <= 100 else { return [] }
            words += (word.array ?? []) + (word.object ?? [:]).values
        }
        var value = example
        for step in wanted.steps {
            switch (step, value) {
            case (.key(let name), .dictionary(let entries)):
                guard let inner = entries[name] else { return [] }
                value = inner
            case (.index(let index), .array(let items)):
                guard items.indices.contains(index) else { return [] }
                value = items[index]
            default: return []
            }
        }
        return ways(value, wanted.steps, wanted.schema, wanted.holds, 0)
    }

    /// Ways for the value at a place to follow a schema or not; the empty one where it does so already.
    private func ways(
        _ value: PropertyListValue, _ steps: [InstanceStep], _ schema: JSONValue, _ wanted: Bool, _ depth: Int
    ) -> [Way] {
        if trials.fits(schema, value) == wanted { return [[]] }
        guard depth < Self.depth, !trials.isSpent, let words = schema.object else { return [] }
        let each = words.sorted { $0.key < $1.key }.map { word, said in
            ways(value, steps, word, said, among: words, wanted, depth + 1)
        }
        return wanted ? together(each) : either(each)
    }

    private func ways(
        _ value: PropertyListValue, _ steps: [InstanceStep], _ word: String, _ said: JSONValue,
        among words: [String: JSONValue], _ wanted: Bool, _ depth: Int
    ) -> [Way] {
        if trials.fits(.object([word: said]), value) == wanted { return [[]] }
        switch word {
        case "required":
            // One that is named again asks for nothing more, and what is asked for inside would multiply.
            var seen: Set<String> = []
            let names = (said.array ?? []).compactMap(\.string).filter { seen.insert($0).inserted }
            guard wanted else {
                return either(names.filter { value[$0] != nil }.map { [[ExampleChange(steps + [.key($0)], nil)]] })
            }
            return together(
                names.filter { value[$0] == nil }.map { name in
                    adding(name, steps, words["properties"]?[name] ?? .boolean(true), true, depth)
                })
        case "properties":
            let parts = (said.object ?? [:]).sorted { $0.key < $1.key }.map { name, schema -> [Way] in
                guard let entry = value[name] else { return wanted ? [[]] : adding(name, steps, schema, false, depth) }
                if schema == .boolean(false) { return wanted ? [[ExampleChange(steps + [.key(name)], nil)]] : [[]] }
                return ways(entry, steps + [.key(name)], schema, wanted, depth)
            }
            return wanted ? together(parts) : either(parts)
        case "not": return ways(value, steps, said, !wanted, depth)
        case "allOf", "anyOf", "oneOf":
            let parts = (said.array ?? []).map { ways(value, steps, $0, wanted, depth) }
            return wanted == (word == "allOf") ? together(parts) : either(parts)
        case "enum", "const": return ways(steps, values: word == "const" ? [said] : said.array ?? [], wanted)
        case "contains":
            let item = said["enum"]?.array?.first ?? said["const"]
            let items: [JSONValue] = wanted ? [item ?? .string("text")] : []
            let key = configuration.key(at: steps) ?? SpecifiedKey("", .any)
            return ((try? key.propertyList(.array(items))).map { [[ExampleChange(steps, $0)]] }) ?? []
        default: return []
        }
    }

    /// Ways to put in a key that is not there, with a value that follows a schema or not.
    private func adding(
        _ name: String, _ steps: [InstanceStep], _ schema: JSONValue, _ wanted: Bool, _ depth: Int
    ) -> [Way] {
        let inside = steps + [.key(name)]
        guard !trials.isSpent, let key = configuration.key(at: inside) else { return [] }
        let value = key.example
        // A single change for a single value: what was set for a condition is not set again.
        return ways(value, inside, schema, wanted, depth + 1).map { way in
            let replaces = way.first.map { $0.steps == inside } ?? false
            return replaces ? way : [ExampleChange(inside, value)] + way
        }
    }

    /// Ways for a value to be one of some, or none of them.
    private func ways(_ steps: [InstanceStep], values: [JSONValue], _ wanted: Bool) -> [Way] {
        let key = configuration.key(at: steps) ?? SpecifiedKey("", .any)
        let listed = values.compactMap { try? key.propertyList($0) }
        let wishes = wanted ? listed : alternatives(of: key).filter { !listed.contains($0) }
        return wishes.prefix(Self.most).map { [ExampleChange(steps, $0)] }
    }

    private func alternatives(of key: SpecifiedKey) -> [PropertyListValue] {
        if let choices = key.choices { return choices.compactMap { try? key.propertyList($0.value) } }
        var bare = key
        (bare.defaultValue, bare.examples) = (nil, [])
        return switch key.type {
        case .boolean: [.boolean(false), .boolean(true)]
        case .integer: [key.example, bare.example, .integer(0), .integer(1), .integer(2)]
        default: [key.example, bare.example]
        }
    }

    /// One way of each, one after the other.
    private func together(_ parts: [[Way]]) -> [Way] {
        var ways: [Way] = [[]]
        for part in parts {
            ways = Array(ways.flatMap { way in part.map { next in way + next } }.prefix(Self.most))
        }
        return ways
    }

    private func either(_ parts: [[Way]]) -> [Way] {
        Array(parts.joined().filter { !$0.isEmpty }.prefix(Self.most))
    }
}
