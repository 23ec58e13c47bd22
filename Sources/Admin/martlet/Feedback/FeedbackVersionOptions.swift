package import AdminMessages
package import ArgumentParser

/// The version of a configuration from which on feedback is summed, as options.
package struct FeedbackVersionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sum only what came with this version of a configuration, or a later one.", valueName: "version"))
    package var sinceVersion: Int?

    @Option(
        name: .customLong("configuration"),
        help: ArgumentHelp(
            "The configuration of that version; it may be left out where the app has only one.", valueName: "name"))
    package var configurationName: String?

    package init() {}

    package func validate() throws {
        guard sinceVersion != nil || configurationName == nil else {
            throw ValidationError("--configuration belongs to --since-version")
        }
        if let sinceVersion, sinceVersion < 1 {
            throw ValidationError("--since-version is a whole number from 1 on")
        }
    }

    /// What the server is asked for.
    package var query: [(String, String)] {
        guard let sinceVersion else { return [] }
        return [("sinceVersion", "\(sinceVersion)")] + (configurationName.map { [("configurationName", $0)] } ?? [])
    }

    /// Why the sums are not those that were asked for: an older server sums all versions.
    package func failure(in summary: FeedbackSummary) -> Failure? {
        guard sinceVersion != nil, summary.sinceVersion == nil else { return nil }
        return Failure(
            .failed, "the server does not know versions of feedback",
            advice: "Upgrade it, or leave out --since-version.")
    }
}

/// What is written below sums of feedback since a version.
package enum FeedbackVersionText {
    /// What is counted and how much is left out; nothing where all versions are.
    package static func note(on summary: FeedbackSummary) -> String? {
        guard let version = summary.sinceVersion, let name = summary.configurationName else { return nil }
        let counted = "Only what came with \(Printable.line(name)), version \(version) or later, is counted."
        guard let unknown = summary.unknownVersions, unknown > 0 else { return counted }
        let count = unknown == 1 ? "1 hand-over is" : "\(unknown) hand-overs are"
        return counted + " \(count) left out: the server does not know with which version."
    }
}
