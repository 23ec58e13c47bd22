import AdminMessages
import ArgumentParser

/// The command `martlet app migrate`.
struct AppMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Move an app from its defaults dictionary to the framework, or back.",
        discussion: """
            Without an option it checks the app's dictionary against the app's specification. The order:

              martlet app migrate com.example.app
              martlet app migrate com.example.app --try --devices 3
              martlet app migrate com.example.app --start
              martlet app migrate com.example.app --finish

            --start has the configuration delivered both ways, group by group; --finish by the framework alone, once the \
            apps on all devices that report them have decoded it; --back as the dictionary alone, at any time. All \
            deliver the same configuration: an app is never without one. To continue after an interruption, type the \
            same command again: the assignments show the progress. The command names an assignment or configuration that \
            somebody else changes meanwhile, and leaves it as it is. With --if-version it refuses configurations of \
            another version.
            """)

    /// What is done; the raw value is the flag.
    enum Act: String, EnumerableFlag {
        case show
        case attempt = "try"
        case start, finish, back

        static func name(for value: Act) -> NameSpecification { .customLong(value.rawValue) }

        static func help(for value: Act) -> ArgumentHelp? {
            switch value {
            case .show: "Show what it gets, and what there is to say about it."
            case .attempt: "Have apps that run on a few devices decode it; nothing is changed."
            case .start: "Deliver it both ways."
            case .finish: "Deliver it by the framework alone."
            case .back: "Deliver it as the dictionary alone."
            }
        }
    }

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Flag var act: Act = .show

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp(
            "Only this group; may be repeated. All that are given the app otherwise.", valueName: "name"))
    var groups: [String] = []

    @Option(help: ArgumentHelp("Show the dictionary that this device has by command.", valueName: "device"))
    var fromDevice: String?

    @Option(
        help: ArgumentHelp(
            "Compare with this configuration, otherwise with one that other groups are given by the framework.",
            valueName: "name"))
    var against: String?

    @Option(help: ArgumentHelp("On how many devices to try each configuration.", valueName: "number"))
    var devices = 3

    @Option(help: ArgumentHelp("Another number chooses other devices.", valueName: "number"))
    var seed: UInt64 = 0

    @Option(help: ArgumentHelp("How long a device may take, at most 10m.", valueName: "span"))
    var timeout = TimeSpan(.seconds(60))

    @Flag(help: "Finish although some devices do not run the framework's configuration.")
    var anyway = false

    @Flag(
        help: """
            Change the delivery although a version on a group's devices refuses the configuration, or a value that becomes \
            part of the user defaults looks like a secret.
            """)
    var force = false

    @OptionGroup var condition: IfVersion

    @OptionGroup var output: Output

    func validate() throws {
        guard (1...600).contains(timeout.seconds) else { throw ValidationError("--timeout is between 1s and 10m") }
        guard (1...100).contains(devices) else { throw ValidationError("--devices is between 1 and 100") }
        guard fromDevice == nil || act == .show else { throw ValidationError("--from-device is for --show") }
        guard !anyway || act == .finish else { throw ValidationError("--anyway is for --finish") }
        guard condition.ifVersion == nil || ![.show, .attempt].contains(act) else {
            throw ValidationError("--if-version is for --start, --finish and --back")
        }
    }

    func run() async throws {
        try await Server.inSession { server in
            let road = MigrationRoad(app: app, groups: groups.isEmpty ? nil : Set(groups), server: server)
            switch act {
            case .show: try await show(road)
            case .attempt: try await attempt(road)
            case .start: try await advance(road, to: .start)
            case .finish: try await advance(road, to: .finish)
            case .back: try await advance(road, to: .back)
            }
        }
    }

    private func advance(_ road: MigrationRoad, to goal: MigrationGoal) async throws {
        let assignments = try await road.assignments()
        let seen = try await road.seen(assignments)
        let plan = MigrationPlan(assignments, to: goal, groups: road.groups)
        try MigrationText.check(plan, seen, isOf: condition.ifVersion)
        if goal == .finish, !anyway {
            var readiness: [String: MigrationReadiness] = [:]
            for step in plan.steps { readiness[step.group] = try await road.readiness(of: step.group) }
            if let failure = MigrationText.failure(readiness, app: app) { throw failure }
        }
        let outcome = try await road.advance(plan, to: goal, onTopOf: seen, force: force) { Terminal.complain($0) }
        try output.print(outcome) { outcome.text }
        if let failure = outcome.failure { throw failure }
    }
}
