import AdminMessages
import ArgumentParser

/// The commands `martlet feedback metric …`.
struct FeedbackMetricCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metric", abstract: "Numbers of apps' feedback that are on the server's page of measurements.",
        discussion: """
            martlet_app_feedback_total holds the sum of each number over all devices, from the moment you add it. Add \
            numbers that count up: the server does not add negative values.
            """,
        subcommands: [FeedbackMetricAdd.self, FeedbackMetricList.self, FeedbackMetricRemove.self])
}

/// The command `martlet feedback metric add`.
struct FeedbackMetricAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have a number of an app's feedback measured from now on.")

    @OptionGroup var number: MeasuredNumber
    @OptionGroup var output: Output

    func run() async throws {
        let metrics = try await number.change { keys, key in keys.contains(key) ? keys : keys + [key] }
        try output.print(metrics) { "Measured: \(Printable.line(metrics.keys.joined(separator: ", ")))." }
    }
}

/// The command `martlet feedback metric list`.
struct FeedbackMetricList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the numbers of apps' feedback that are measured.",
        discussion: "An owner of apps has to name one of their apps.")

    @Argument(help: "The app's bundle identifier; without it, the numbers of all apps are listed.")
    var app: String?

    @OptionGroup var output: Output

    func run() async throws {
        let metrics: [FeedbackMetric] = try await Server.inSession { server in
            guard let app else { return try await server.list("feedback", "metrics") }
            let ofApp: FeedbackMetrics = try await server.get("apps", app, "feedback", "metrics")
            return ofApp.keys.map { FeedbackMetric(app: app, key: $0) }
        }
        let nothing = app == nil ? "No app's feedback is measured." : "Nothing of its feedback is measured."
        try output.print(metrics, nothing: nothing) {
            var table = Table("APP", "KEY")
            for metric in metrics { table.add(metric.app, metric.key) }
            return table
        }
    }
}

/// The command `martlet feedback metric remove`.
struct FeedbackMetricRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Stop measuring a number of an app's feedback, and delete its sum.")

    @OptionGroup var number: MeasuredNumber
    @OptionGroup var output: Output

    func run() async throws {
        let metrics = try await number.change { keys, key in keys.filter { $0 != key } }
        try output.print(metrics) { "Not measured: \(Printable.line(number.key))." }
    }
}

/// A number of an app's feedback, and how it comes to be measured or not.
struct MeasuredNumber: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "A number of the feedback, such as failureCount.")
    var key: String

    /// Changes which numbers of the app are measured, and keeps changes that others make at the same time.
    func change(_ edit: ([String], String) -> [String]) async throws -> FeedbackMetrics {
        try await Server.inSession { server in
            let answer = try await server.change(["apps", app, "feedback", "metrics"]) { (present: FeedbackMetrics?) in
                FeedbackMetrics(keys: edit(present?.keys ?? [], key))
            }
            return try answer.decoded()
        }
    }
}
