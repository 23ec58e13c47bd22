import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet feedback trend`.
struct FeedbackTrendCommand: AsyncParsableCommand {
    enum Interval: String, ExpressibleByArgument, CaseIterable {
        case hour
        case day
    }

    static let configuration = CommandConfiguration(
        commandName: "trend", abstract: "Show how a number of an app's feedback went, by interval.",
        discussion: """
            Sums are by version of the app's dictionary as well, so that a change shows beside what it did. At most 168 hours \
            or 90 days are shown, in UTC, each of them whole: dictionaries beyond the 10 that most devices had are \
            summed together.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "A number of the feedback, such as failureCount.")
    var key: String

    @Option(help: "The interval of each sum.")
    var by = Interval.day

    @Option(
        help: ArgumentHelp(
            "Begin with the interval of this moment; without it 24 hours or 30 days are shown.", valueName: "moment"))
    var since: Moment?

    @OptionGroup var output: Output

    func run() async throws {
        let query = [("key", key), ("interval", by.rawValue)] + (since.map { [("since", $0.text)] } ?? [])
        let trend: FeedbackTrend = try await Server.inSession {
            try await $0.send(.get, ["apps", app, "feedback", "trend"], query: query).decoded()
        }
        try output.print(trend) { Self.text(of: trend) }
    }

    private static func text(of trend: FeedbackTrend) -> String {
        guard !trend.steps.isEmpty else {
            return "Nothing was handed over as \(Printable.line(trend.key)) since \(trend.since.shown)."
        }
        var table = Table("FROM", "SUM", "DEVICES", "DICTIONARY")
        for step in trend.steps {
            table.add(
                step.from.shown, "\(step.sum)", "\(step.devices)",
                FeedbackShow.dictionary(step.configuration, isOfOthers: step.isOfOthers))
        }
        let text = table.text(bold: Terminal.mayStyle, within: Terminal.columns)
        guard trend.isCut == true else { return text }
        return text + "\n\nThe row others sums the dictionaries that few devices had."
    }
}
