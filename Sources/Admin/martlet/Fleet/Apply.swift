import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet apply`.
struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the server match a directory of files.",
        discussion: """
            First the plan is shown: what is created, changed (by key) and removed. It is asked for on a terminal and \
            needs --yes elsewhere. Running it again does nothing, or finishes what was interrupted.

            What is on the server and not in the directory stays, unless --prune is given. Of secrets the directory says \
            where their values are, never the values; a secret is set anew when its marker is another than the server's.

              martlet export fleet                         write what the server has
              martlet apply -f fleet --dry-run             show the plan: status 0 without changes, 2 with some
              martlet apply -f fleet --yes --prune         in a pipeline

            A change that somebody else made since the plan was shown stops the run; nothing of theirs is lost.
            """)

    @Option(
        name: [.customShort("f"), .customLong("directory")],
        help: ArgumentHelp("The directory.", valueName: "directory"), completion: .directory)
    var directory: String

    @Flag(help: "Show the plan and change nothing: ends with status 0 if there is nothing to do, with 2 otherwise.")
    var dryRun = false

    @Flag(help: "Remove what is not in the directory.")
    var prune = false

    @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
    var yes = false

    @Flag(help: "Show the values of configurations in the plan, too.")
    var values = false

    @Flag(
        help: """
            Set and assign configurations and secrets although the app's specification refuses them, or values delivered \
            as user defaults look like secrets.
            """)
    var force = false

    @OptionGroup var output: Output

    func run() async throws {
        let (read, root) = try FleetDirectory.wish(at: directory)
        let isChanged = try await Server.inSession { server in
            var wish = read
            try await wish.readConfigurations(by: server)
            let client = FleetClient(server: server, wish: wish, directory: root, isForced: force)
            return try await apply(by: client)
        }
        if dryRun, isChanged { throw ExitCode(2) }
    }

    /// Whether there was anything to do.
    private func apply(by client: FleetClient) async throws -> Bool {
        let plan = try await client.plan(prune: prune)
        let checks = try await client.findings(in: plan)
        if !output.json { Terminal.say(PlanText(plan, showsValues: values).text) }
        for found in checks {
            for warning in found.check.warnings { complain("warning: \(found.thing): \(Printable.line(warning))") }
            for error in found.check.errors { complain("error: \(found.thing): \(Printable.line(error.sentence))") }
        }
        let missing = client.missingValues(in: plan)
        for one in missing { complain("\(dryRun ? "warning" : "error"): \(one)") }
        if dryRun || plan.isEmpty { try report(plan, done: 0, checks) }
        for fault in plan.faults { complain("error: \(fault)") }
        guard plan.faults.isEmpty else {
            throw Failure(.refused, "the directory does not fit together; nothing was changed", advice: plan.faults[0])
        }
        let refused = checks.filter { !$0.check.errors.isEmpty }
        if let stopping = refused.first(where: { $0.isFinal }) {
            let what = stopping.thing.kind == .setting ? "settings" : "secrets"
            throw Failure(
                .refused, "the server would refuse \(what) of the directory, --force or not; nothing was changed")
        }
        guard force || refused.isEmpty else {
            throw Failure(
                .refused, "configurations or secrets of the directory would be refused; nothing was changed",
                advice: "--force sets them nevertheless.")
        }
        guard !plan.isEmpty, !dryRun else { return !plan.isEmpty }
        guard missing.isEmpty else {
            throw Failure(.refused, "values of secrets are missing; nothing was changed", advice: missing[0])
        }
        try confirm(plan)
        try await perform(plan, by: client, checks)
        return true
    }

    private func perform(_ plan: Plan, by client: FleetClient, _ checks: [ConfigurationFindings]) async throws {
        var done = 0
        do {
            for step in plan.steps {
                if Terminal.showsProgress { Terminal.note("\r\(done + 1)/\(plan.steps.count) \(step.thing)\u{1B}[K") }
                try await client.perform(step)
                done += 1
            }
        } catch {
            if Terminal.showsProgress { Terminal.note("\r\u{1B}[K") }
            try report(plan, done: done, checks)
            complain("\(done) of \(plan.steps.count) changes were made; stopped at: \(plan.steps[done].thing)")
            throw error
        }
        if Terminal.showsProgress { Terminal.note("\r\u{1B}[K") }
        try report(plan, done: done, checks)
        if !output.json { Terminal.say("Done: \(Count.text(done, "change")).") }
    }

    private func confirm(_ plan: Plan) throws {
        guard !yes else { return }
        let these = plan.steps.count == 1 ? "this change" : "these \(plan.steps.count) changes"
        try Confirmation.askTerminal(
            "Make \(these)?", undone: "nothing was changed",
            advice: "--yes does without asking, --dry-run shows the plan.")
    }

    private func report(_ plan: Plan, done: Int, _ checks: [ConfigurationFindings]) throws {
        guard output.json else { return }
        Terminal.say(
            String(decoding: try AdminJSON.encodePretty(PlanReport(plan, done: done, checks: checks)), as: UTF8.self))
    }

    private func complain(_ line: String) { Terminal.complain(line) }
}
