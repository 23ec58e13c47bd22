/// The names of the environment variables that a program knows.
///
/// A misspelled variable would otherwise have no effect, and nothing would say so.
package struct VariableNames: Sendable {
    /// The beginning of all of them, such as `MARTLET_`.
    private let prefix: String
    private let known: Set<String>
    private let foreign: [String]

    /// - Parameters:
    ///   - prefix: The beginning of all names.
    ///   - known: The names, without the prefix.
    ///   - foreign: Beginnings of names, with the prefix, that other programs know.
    package init(prefix: String, known: Set<String>, foreign: [String] = []) {
        (self.prefix, self.known, self.foreign) = (prefix, known, foreign)
    }

    /// Judges the names of all variables of a process.
    ///
    /// - Returns: Why the program must not start with them, if the name of one is nearly a known one; and the other names
    ///   with the prefix that it does not know, in their order.
    package func judge(_ names: some Sequence<String>) -> (refusal: String?, unknown: [String]) {
        var near: [String] = []
        var far: [String] = []
        for name in names.sorted() where name.hasPrefix(prefix) {
            // With the prefix, which all have, each name would be near every other.
            let rest = String(name.dropFirst(prefix.count))
            if known.contains(rest) || foreign.contains(where: { name.hasPrefix($0) }) { continue }
            if let nearest = NearestWord.to(rest, among: known) {
                near.append("\(name) (did you mean \(prefix)\(nearest)?)")
            } else {
                far.append(name)
            }
        }
        guard !near.isEmpty else { return (nil, far) }
        let refusal = """
            The environment has \(near.count == 1 ? "a variable that is" : "variables that are") not known: \
            \(near.joined(separator: ", ")). Correct or remove \(near.count == 1 ? "it" : "them").
            """
        return (refusal, far)
    }
}
