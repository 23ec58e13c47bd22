import AdminMessages
import ArgumentParser

/// The commands `martlet feedback …`.
struct FeedbackCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "What apps count on devices.",
        subcommands: [
            FeedbackFetchCommand.self, FeedbackFollow.self, FeedbackShow.self, FeedbackTrendCommand.self,
            FeedbackMetricCommands.self,
        ])
}

/// The command `martlet feedback fetch`.
struct FeedbackFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Have apps on a device hand their feedback over now.",
        discussion: """
            With --wait it ends when the server has received what is handed over, and prints that. The device's answer \
            names the apps that have counted something since the last time: where there are none it ends at once with \
            an empty list. A device with an older agent does not name them: then it ends 15 seconds after the answer. \
            Without the right to read feedback, it waits for the device's answer alone.
            """)

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The app's bundle identifier; all apps without it.")
    var app: String?

    @Option(help: ArgumentHelp("Wait until the feedback has come, for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    @OptionGroup var output: Output

    /// How long the feedback may take once the device has answered: it waits five seconds for its apps, and then reports.
    private static let longestReport = Duration.seconds(15)

    func run() async throws {
        try await Server.inSession { server in
            let id = try await device.id(server)
            let start = ContinuousClock.now
            let handOvers = HandOvers(app: app, device: id)
            var before: Int?
            if wait != nil { before = try await newest(handOvers, server) }
            let queued: CommandSummary = try await server.post(
                FeedbackFetchRequest(app: app), "devices", id, "feedback", "fetch")
            guard let wait else {
                try output.print(queued) { "Queued \(queued.uuid)." }
                return
            }
            let detail = try await CommandExchange(device: id, server: server).answer(toQueued: queued, within: wait)
            guard let before else {
                return try output.print(detail) { "The device hands over what its apps counted." }
            }
            let rest = min(Self.longestReport, max(.zero, wait.duration - (ContinuousClock.now - start)))
            let announced = HandOvers.announced(in: detail.answer)
            let whole: [AppFeedback]? = try await Patience(rest, for: "waiting for the feedback").wait {
                let found = try await handOvers.received(after: before, server).lives
                return HandOvers.isWhole(found, of: announced) ? found : nil
            }
            var lives = whole ?? []
            if whole == nil { lives = try await handOvers.received(after: before, server).lives }
            let missing = (announced ?? []).subtracting(lives.map(\.app)).sorted()
            if !missing.isEmpty {
                Terminal.complain("Not handed over yet: \(missing.map(Printable.line).joined(separator: ", "))")
            }
            try output.print(lives) {
                guard lives.isEmpty else { return lives.map(HandOverText.line).joined(separator: "\n") }
                return missing.isEmpty
                    ? "The device answered, and nothing was handed over: its apps counted nothing since the last time."
                    : "The device answered, and nothing was handed over yet."
            }
        }
    }

    /// The number of what came last; nothing where the account may ask a device for feedback and may not read it.
    private func newest(_ handOvers: HandOvers, _ server: Server) async throws -> Int? {
        do {
            return try await handOvers.newest(server)
        } catch let failure as Failure where failure.status == .refused || failure.status == .notFound {
            return nil
        }
    }
}

/// The command `martlet feedback show`.
struct FeedbackShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what an app counted: its sums, or what came of single devices.",
        discussion: """
            Without an option the sums of the last week are shown, by key and version of the app's dictionary. With \
            --key, the devices on which that number came to more than --above follow. --device and --all show what was \
            handed over, the newest first. With --since-version only what came with that version of a configuration, or \
            a later one, is summed; what came with a version that the server does not know is left out, and counted.
            """)

    @Argument(help: "The app's bundle identifier; with --device it may be left out.")
    var app: String?

    @Option(help: "Show what was handed over on this device: its ID, name or serial number.")
    var device: String?

    @Flag(help: "Show what was handed over on all devices.")
    var all = false

    @Option(help: ArgumentHelp("Only what was handed over then or later.", valueName: "moment"))
    var since: Moment?

    @Option(help: "A number of the feedback, such as failureCount.")
    var key: String?

    @Option(help: "More than this is too much.")
    var above = 0

    @OptionGroup var versions: FeedbackVersionOptions

    @OptionGroup var output: Output

    func validate() throws {
        guard app != nil || device != nil else {
            throw ValidationError("name an app, or a device with --device")
        }
        try OneOption.atMost(["--all": all, "--device": device != nil])
        guard versions.sinceVersion == nil || !all && device == nil else {
            throw ValidationError("--since-version is for sums: leave out --all and --device")
        }
    }

    func run() async throws {
        let query = since.map { [("since", $0.text)] } ?? []
        if let device { return try await showDevice(device, query) }
        guard let app else { return }
        if all {
            return try show(
                try await Server.inSession {
                    try await $0.list("apps", app, "feedback", query: query) as [AppFeedback]
                })
        }
        let asked = key.map { [("key", $0), ("above", "\(above)")] } ?? []
        let summary: FeedbackSummary = try await Server.inSession {
            try await $0.send(.get, ["apps", app, "feedback", "summary"], query: query + asked + versions.query)
                .decoded()
        }
        if let failure = versions.failure(in: summary) { throw failure }
        try output.print(summary) { Self.text(of: summary) }
    }

    /// A version of the dictionary as it is shown; nothing where the app had none.
    static func dictionary(_ configuration: String?, isOfOthers: Bool?) -> String? {
        isOfOthers == true ? "others" : configuration.map { String($0.prefix(12)) }
    }

    private func showDevice(_ name: String, _ query: [(String, String)]) async throws {
        let lives: [AppFeedback] = try await Server.inSession { server in
            let id = try await server.device(named: name)
            guard let app else { return try await server.list("devices", id, "feedback", query: query) }
            return try await server.list("apps", app, "feedback", query: query + [("device", id)])
        }
        try show(lives)
    }

    private func show(_ lives: [AppFeedback]) throws {
        try output.print(lives, nothing: "Nothing was handed over.") {
            var table = Table("UNTIL", "DEVICE", "APP", "REFUSED", "FEEDBACK")
            for life in lives {
                table.add(life.to.shown, life.device, life.app, "\(life.refused)", DeviceText.text(life.feedback))
            }
            return table
        }
    }

    private static func text(of summary: FeedbackSummary) -> String {
        let note = FeedbackVersionText.note(on: summary).map { "\n\n" + $0 } ?? ""
        guard !summary.totals.isEmpty else {
            return "No numbers were handed over since \(summary.since.shown)." + note
        }
        var totals = Table("KEY", "SUM", "DEVICES", "DICTIONARY")
        for total in summary.totals {
            totals.add(
                total.key, "\(total.sum)", "\(total.devices)",
                dictionary(total.configuration, isOfOthers: total.isOfOthers))
        }
        var text = totals.text(bold: Terminal.mayStyle, within: Terminal.columns)
        if summary.isCut == true {
            text +=
                "\n\nKeys that few devices count are left out, but none that the app's specification names. "
                + "The rows others sum the dictionaries that few devices had."
        }
        text += note
        guard let found = summary.devices, !found.isEmpty else { return text }
        var devices = Table("DEVICE", "SUM")
        for one in found { devices.add(one.device, "\(one.sum)") }
        return text + "\n\n" + devices.text(bold: Terminal.mayStyle, within: Terminal.columns)
    }
}
