import ArgumentParser

/// Plays devices against an MDM server and measures what it costs.
///
/// A tool of the project for its own benchmarks; it is not installed anywhere.
@main
struct MartletLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-load",
        abstract: "Plays devices against an MDM server and measures what it costs.",
        discussion: """
            Devices are enrolled through Martlet's API with the session that `martlet login` left, or through a list \
            of enrollment profile URLs at any other server. They stay enrolled when the tool ends.
            """,
        subcommands: [
            RequestLoad.self, Fleet.self, CommandRound.self, FeedbackRound.self, Propagation.self, Certificates.self,
            SignatureCosts.self,
        ],
        defaultSubcommand: RequestLoad.self)
}

/// Why a run has no result.
struct LoadFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
