import AdminMessages
import AppSpecification
import Foundation
import InputBounds

/// The assignments of one app at a server, and their devices: what a migration looks at, and changes.
struct MigrationRoad: Sendable {
    /// So often a change is made on what others changed meanwhile.
    private static let attempts = 10

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
            readiness.count(device.apps.first { $0.identifier == app }, on: id)
        }
        return readiness
    }

    // MARK: Changing

    /// Brings the assignments where they are to be, one group after the other, and says so of each.
    ///
    /// It may be ended at any instant: begun again, it goes on with those that are not there yet.
    func advance(
        _ plan: MigrationPlan, to goal: MigrationGoal, force: Bool, tell: (String) -> Void
    ) async throws -> MigrationOutcome {
        var outcome = MigrationOutcome(app: app, goal: goal, asBefore: plan.done, leftOut: plan.leftOut)
        for (index, step) in plan.steps.enumerated() {
            let place = "\(index + 1) of \(plan.steps.count): \(Printable.line(step.group))"
            switch try await change(step.group, to: goal, force) {
            case .change(let from, let to):
                outcome.changed.append(step.group)
                tell("\(place): \(from.rawValue) → \(to.rawValue)")
            case .isThere:
                outcome.asBefore.append(step.group)
                tell("\(place): as before")
            case .leftOut(let reason):
                outcome.leftOut.append(MigrationPlan.LeftOut(group: step.group, reason: reason))
                tell("\(place): left out, since \(reason)")
            }
        }
        return outcome
    }

    /// Changes one assignment on what is there now, and says what was done.
    private func change(_ group: String, to goal: MigrationGoal, _ force: Bool) async throws -> MigrationPlan.Verdict {
        let place = ["assignments", group, app]
        var attempt = 0
        while true {
            attempt += 1
            guard let present = try await server.present(at: place) else {
                return .leftOut("it is given the app no more")
            }
            let assignment: Assignment = try present.decoded()
            let verdict = MigrationPlan.verdict(on: assignment, to: goal, isNamed: groups != nil)
            guard case .change(_, let to) = verdict else { return verdict }
            do {
                let made: Assignment = try await server.send(
                    .patch, place, query: force ? [("force", "true")] : [],
                    body: .init(patch: AssignmentPatch(delivery: .becomes(to.rawValue))),
                    headers: server.headers(onTopOf: present)
                ).decoded()
                for warning in made.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
                return verdict
            } catch let failure as Failure where failure.isChangedMeanwhile && attempt < Self.attempts {
                // Somebody else was quicker: what is there now decides.
            }
        }
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

    init(app: String, goal: MigrationGoal, asBefore: [String], leftOut: [MigrationPlan.LeftOut]) {
        (self.app, self.goal, self.asBefore, self.leftOut) = (app, goal, asBefore, leftOut)
    }

    var text: String {
        var lines = [
            "\(Printable.line(app)): \(changed.count) changed to \(goal.delivery.rawValue), "
                + "\(asBefore.count) as before, \(leftOut.count) left out."
        ]
        lines += leftOut.map { "  \(Printable.line($0.group)): \(Printable.line($0.reason))" }
        return lines.joined(separator: "\n")
    }
}
