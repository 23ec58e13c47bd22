import ArgumentParser
import InputBounds

extension Martlet {
    /// Variables that this program reads, and the version that the build of packages has in its environment.
    private static let variables = VariableNames(
        prefix: "MARTLET_", known: ["SESSION", "SIGNING_PASSWORD", "VERSION"],
        foreign: ["MARTLET_AGENT_", "MARTLET_SECRET_"])

    /// Refuses a misspelled variable: without its effect a command could reach another server than was meant.
    static func requireKnownVariables(_ names: some Sequence<String>) throws {
        if let refusal = variables.judge(names).refusal { throw ValidationError(refusal) }
    }
}
