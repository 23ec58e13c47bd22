/// Which Martlet this is: the tool, the server, the agent and the packages of a release have the same version.
package enum MartletRelease {
    /// Raised with every release; `scripts/deb` reads it here.
    package static let version = "0.1.0"

    /// What `--version` prints, and whether a program was asked for nothing else.
    ///
    /// The option is no option of the command line's parser: that would take it in every subcommand, several of which have
    /// a `--version` that means an app's or a configuration's.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - arguments: What the program was started with, its own name first.
    /// - Returns: The line to print, nothing where something else was asked for.
    package static func answer(of program: String, to arguments: [String]) -> String? {
        arguments.dropFirst() == ["--version"] ? "\(program) \(version)" : nil
    }
}
