import AdminMessages
import AppSpecification
import Foundation
import InputBounds

/// The assignments of one app at a server, and their devices: what a migration looks at, and changes.
struct MigrationRoad: Sendable {
    let app: String
    /// The groups that were named; nothing for all.
    let groups: Set<String>?
    let server: Server

    /// The app's assignments to the groups.
    func assignments() async throws -> [Assignment] {
        let _: App = try await server.get("apps", app)
        let all: [Assignment] = try await server.list("assignments", query: [("app", app)])
        if let missing = groups?.subtracting(all.map(\.group)).sorted().first {
            throw Failure(
                .notFound, "the group \(Printable.line(missing)) is not given \(Printable.line(app))",
                advice: "martlet assignment list shows who is.")
        }
        return all.filter { groups?.contains($0.group) ?? true }
    }

    // MARK: Looking

    /// The assignments with the versions of their configurations, by group.
    func seen(_ assignments: [Assignment]) async throws -> [String: SeenAssignment] {
        let versions = try await versions()
        return Dictionary(
            assignments.map { ($0.group, SeenAssignment($0, versions: versions)) }, uniquingKeysWith: { $1 })
    }

    /// The newest version of each of the app's configurations, by name.
    func versions() async throws -> [String: Int] {
        let all: [ConfigurationSummary] = try await server.list("apps", app, "configurations")
        return Dictionary(all.map { ($0.name, $0.version) }, uniquingKeysWith: { $1 })
    }

    /// What the app's newest version publishes.
    func published() async throws -> (version: String, specification: AppSpecification)? {
        let all: [SpecificationSummary] = try await server.list("apps", app, "specifications", first: 1)
        guard let newest = all.first else { return nil }
        let answer = try await server.send(.get, ["apps", app, "specifications", newest.version])
        return (try? AppSpecification(parsing: answer.body)).map { (version: newest.version, specification: $0) }
    }

    func document(_ configuration: String) async throws -> Data {
        try await server.send(.get, ["apps", app, "configurations", configuration]).body
    }

    func root(_ configuration: String) async throws -> PropertyListValue {
        let bytes = try await document(configuration)
        do {
            return try PropertyListValue(parsing: bytes, limits: .configuration)
        } catch {
            throw Failure(.failed, "the configuration \(Printable.line(configuration)) cannot be read: \(error.rule)")
        }
    }

    /// The enrolled devices of a group, by their IDs.
    func devices(of group: String) async throws -> [String] {
        let devices: [DeviceSummary] = try await server.list(
            "devices", query: [("group", group), ("state", DeviceState.enrolled.rawValue)])
        return devices.map(\.id)
    }

    /// How the devices of a group fare.
    func readiness(of group: String) async throws -> MigrationReadiness {
        var readiness = MigrationReadiness()
        for id in try await devices(of: group) {
            let device: DeviceDetail = try await server.get("devices", id)
            readiness.count(
                device.apps.first { $0.identifier == app }, on: id, isSynchronised: device.synchronised)
        }
        return readiness
    }

    // MARK: Changing

    /// Brings the assignments where they are to be, one group after the other, and says so of each.
    ///
    /// The administrator can stop it at any moment: the next run continues with the assignments that are left. It does
    /// not change an assignment that somebody else changed after the administrator saw it.
    func advance(
        _ plan: MigrationPlan, to goal: MigrationGoal, onTopOf seen: [String: SeenAssignment], force: Bool,
        tell: (String) -> Void
    ) async throws -> MigrationOutcome {
        var outcome = MigrationOutcome(app: app, goal: goal, asBefore: plan.done, leftOut: plan.leftOut)
        for (index, step) in plan.steps.enumerated() {
            let place = "\(index + 1) of \(plan.steps.count): \(Printable.line(step.group))"
            switch try await change(step.group, to: goal, onTopOf: seen[step.group], force, tell) {
            case .done(.change(let from, let to)):
                outcome.changed.append(step.group)
                tell("\(place): \(from.rawValue) → \(to.rawValue)")
            case .done(.isThere):
                outcome.asBefore.append(step.group)
                tell("\(place): as before")
            case .done(.leftOut(let reason)):
                outcome.leftOut.append(MigrationPlan.LeftOut(group: step.group, reason: reason))
                tell("\(place): left out, since \(reason)")
            case .changedMeanwhile(let reason):
                outcome.changedMeanwhile.append(MigrationPlan.LeftOut(group: step.group, reason: reason))
                tell("\(place): not changed, since \(Printable.line(reason))")
            }
        }
        return outcome
    }

    /// The result of changing one assignment.
    private enum Change {
        case done(MigrationPlan.Verdict)
        /// Somebody changed the assignment meanwhile, so it stays as it is; the reason is for people.
        case changedMeanwhile(String)
    }

    /// Changes one assignment if neither it nor its configurations changed after the administrator saw them.
    private func change(
        _ group: String, to goal: MigrationGoal, onTopOf seen: SeenAssignment?, _ force: Bool, _ tell: (String) -> Void
    ) async throws -> Change {
        let place = ["assignments", group, app]
        guard let present = try await server.present(at: place) else {
            return .done(.leftOut("the group no longer gets the app"))
        }
        let assignment: Assignment = try present.decoded()
        let verdict = MigrationPlan.verdict(on: assignment, to: goal, isNamed: groups != nil)
        guard case .change(_, let to) = verdict else { return .done(verdict) }
        let now = SeenAssignment(assignment, versions: try await versions())
        guard let seen else { return .changedMeanwhile("somebody assigned the app meanwhile") }
        if let change = seen.change(until: now) { return .changedMeanwhile(change) }
        do {
            let made: Assignment = try await server.send(
                .patch, place, query: force ? [("force", "true")] : [],
                body: .init(patch: AssignmentPatch(delivery: .becomes(to.rawValue))),
                headers: server.headers(onTopOf: present)
            ).decoded()
            for warning in made.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        } catch let failure as Failure where failure.isChangedMeanwhile {
            return .changedMeanwhile("its assignment was changed meanwhile")
        }
        // The condition covers the assignment alone, so a new version of a configuration in between gets a warning.
        let after = SeenAssignment(assignment, versions: try await versions())
        if let change = seen.change(until: after) { tell("\(Printable.line(group)): \(Printable.line(change))") }
        return .done(verdict)
    }
}

/// What a migration has done, as `--json` prints it.
struct MigrationOutcome: Encodable, Sendable {
    let app: String
    let goal: MigrationGoal
    /// The groups whose delivery is another now.
    var changed: [String] = []
    var asBefore: [String] = []
    var leftOut: [MigrationPlan.LeftOut] = []
    /// The groups whose assignment or configuration somebody changed meanwhile; they stay as they are.
    var changedMeanwhile: [MigrationPlan.LeftOut] = []

    init(app: String, goal: MigrationGoal, asBefore: [String], leftOut: [MigrationPlan.LeftOut]) {
        (self.app, self.goal, self.asBefore, self.leftOut) = (app, goal, asBefore, leftOut)
    }

    var text: String {
        var lines = [
            "\(Printable.line(app)): \(changed.count) changed to \(goal.delivery.rawValue), "
                + "\(asBefore.count) as before, \(leftOut.count) left out, "
                + "\(changedMeanwhile.count) changed by others meanwhile."
        ]
        lines += (leftOut + changedMeanwhile).map { "  \(Printable.line($0.group)): \(Printable.line($0.reason))" }
        return lines.joined(separator: "\n")
    }

    /// The failure that names the assignments which somebody changed meanwhile; nil where there are none.
    var failure: Failure? {
        guard !changedMeanwhile.isEmpty else { return nil }
        return Failure(
            .refused,
            "\(changedMeanwhile.count) assignments have changed meanwhile; they stay as they are",
            advice: "Look at them with martlet app migrate \(Printable.line(app)), then type the same again.")
    }
}
