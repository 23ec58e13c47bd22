package import InputBounds
import JSONSchema

extension ForeignVariable {
    /// Warns of texts of a configuration with variables of other managements: nothing here fills them in.
    ///
    /// The app gets such a text as it is, which may be what is wanted.
    package static func findings(in configuration: PropertyListValue, most: Int = 20) -> [ConfigurationFinding] {
        var found: [ConfigurationFinding] = []
        gather(configuration, [], &found, most)
        return found
    }

    private static func gather(
        _ value: PropertyListValue, _ steps: [InstanceStep], _ found: inout [ConfigurationFinding], _ most: Int
    ) {
        guard found.count < most else { return }
        switch value {
        case .string(let text):
            guard let variable = first(in: text) else { return }
            let advice =
                variable.ours.map { "Write ${\($0)}" } ?? "Nothing here stands for it: write the value itself"
            found.append(
                ConfigurationFinding(
                    .warning, InstancePath(steps), "foreignVariable",
                    "\(variable.spelling) is a variable of another management, and is given to the app as it is",
                    suggestion: advice))
        case .array(let items):
            for (index, item) in items.enumerated() { gather(item, steps + [.index(index)], &found, most) }
        case .dictionary(let entries):
            for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
                gather(entry, steps + [.key(key)], &found, most)
            }
        default: return
        }
    }
}
