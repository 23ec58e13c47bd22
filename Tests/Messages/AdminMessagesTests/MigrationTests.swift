import AdminMessages
import Foundation
import TestInputs
import Testing

/// A17: what comes next on an app's way from a defaults dictionary to the framework, by its assignments alone.
struct MigrationTests {
    private static func assignment(
        _ group: String, _ delivery: String?, configuration: String? = "main"
    ) -> Assignment {
        Assignment(group: group, app: "com.example.app", configuration: configuration, delivery: delivery)
    }

    private typealias Row = (goal: MigrationGoal, delivery: String?, isNamed: Bool, verdict: MigrationPlan.Verdict)

    private static let rows: [Row] = [
        (.start, "defaults", false, .change(from: .defaults, to: .both)), (.start, "both", false, .isThere),
        (.start, nil, true, .isThere), (.finish, "both", false, .change(from: .both, to: .framework)),
        (.finish, nil, false, .isThere), (.back, "both", false, .change(from: .both, to: .defaults)),
        (.back, "defaults", false, .isThere), (.back, nil, true, .change(from: .framework, to: .defaults)),
    ]

    /// No way leads from the dictionary alone to the framework alone: apps that read only one of them are never without.
    @Test func eachDeliveryHasItsNextStep() {
        for row in Self.rows {
            let verdict = MigrationPlan.verdict(
                on: Self.assignment("g", row.delivery), to: row.goal, isNamed: row.isNamed)
            #expect(verdict == row.verdict, "\(row)")
        }
    }

    @Test func whatCannotBeChangedIsLeftOutWithAReason() {
        let rows: [(MigrationGoal, Assignment)] = [
            (.finish, Self.assignment("g", "defaults")), (.back, Self.assignment("g", nil)),
            (.start, Self.assignment("g", "post")), (.start, Self.assignment("g", "defaults", configuration: nil)),
        ]
        for (goal, assignment) in rows {
            let plan = MigrationPlan([assignment], to: goal)
            #expect(plan.steps.isEmpty && plan.done.isEmpty, "\(assignment)")
            #expect(plan.leftOut.map(\.group) == ["g"] && plan.leftOut.first?.reason.isEmpty == false)
        }
    }

    /// Stopped after any number of steps and planned again, what is left is exactly the rest, and a whole plan leaves nothing.
    @Test(arguments: MigrationGoal.allCases) func aPlanGoesOnWhereItWasStopped(goal: MigrationGoal) {
        let before: String? = goal == .start ? "defaults" : "both"
        let first = (0..<9).map { Self.assignment("g\($0)", before) }
        let whole = MigrationPlan(first.reversed(), to: goal)
        #expect(whole.steps.map(\.group) == first.map(\.group))
        for stopped in 0...first.count {
            var assignments = first
            for index in 0..<stopped {
                assignments[index].delivery = goal == .finish ? nil : goal.delivery.rawValue
            }
            let rest = MigrationPlan(assignments, to: goal)
            #expect(rest.steps == Array(whole.steps.dropFirst(stopped)))
            #expect(rest.done == Array(first.map(\.group).prefix(stopped)) && rest.leftOut.isEmpty)
        }
    }

    @Test func onlyNamedGroupsAreTouched() {
        let all = ["a", "b", "c"].map { Self.assignment($0, "defaults") }
        #expect(MigrationPlan(all, to: .start, groups: ["b"]).steps.map(\.group) == ["b"])
    }

    @Test func theNextGoalFollowsFromTheAssignments() {
        let defaults = Self.assignment("a", "defaults")
        let both = Self.assignment("b", "both")
        let framework = Self.assignment("c", nil)
        #expect(MigrationGoal.next(after: [both, defaults, framework]) == .start)
        #expect(MigrationGoal.next(after: [both, framework]) == .finish)
        #expect(MigrationGoal.next(after: [framework]) == nil)
    }

    // MARK: Changes by others

    /// A change of the assignment, or of a configuration that it names, is described.
    @Test func whatChangedSinceItWasSeenIsNamed() {
        var assignment = Self.assignment("g", "defaults")
        assignment.extensions = ["e": "inner"]
        let seen = SeenAssignment(assignment, versions: ["main": 1, "inner": 1, "other": 1])
        #expect(seen.versions == ["main": 1, "inner": 1])
        #expect(seen.change(until: SeenAssignment(assignment, versions: ["main": 1, "inner": 1, "other": 2])) == nil)
        for versions in [["main": 2, "inner": 1], ["main": 1, "inner": 2], ["main": 1]] {
            #expect(seen.change(until: SeenAssignment(assignment, versions: versions)) != nil, "\(versions)")
        }
        let text = seen.change(until: SeenAssignment(assignment, versions: ["main": 4, "inner": 1]))
        #expect(text?.contains("main") == true && text?.contains("from version 1 to 4") == true)
        var other = assignment
        other.configuration = "inner"
        #expect(seen.change(until: SeenAssignment(other, versions: ["inner": 1])) != nil)
        other = assignment
        other.priority = 7
        #expect(seen.change(until: SeenAssignment(other, versions: seen.versions)) != nil)
    }

    // MARK: Devices

    private static func app(
        _ configState: String?, state: String? = "managed", isCurrent: Bool? = true, delivery: String? = "both",
        managedBy: String? = nil
    ) -> DeviceApp {
        DeviceApp(
            identifier: "com.example.app", state: state, configState: configState, isCurrent: isCurrent,
            delivery: delivery, managedBy: managedBy)
    }

    private static func readiness(_ apps: [DeviceApp?], isSynchronised: Bool = true) -> MigrationReadiness {
        var readiness = MigrationReadiness()
        for (index, app) in apps.enumerated() {
            readiness.count(app, on: "D\(index)", isSynchronised: isSynchronised)
        }
        return readiness
    }

    @Test func aFleetIsReadyOnceAllThatReportHaveDecoded() {
        #expect(Self.readiness([]).isReady)
        #expect(Self.readiness([Self.app("valid"), nil, Self.app(nil, state: nil)]).isReady)
        #expect(Self.readiness([Self.app("valid"), Self.app("invalid")]).refused == ["D1"])
        #expect(Self.readiness([Self.app("valid"), Self.app("unknown"), Self.app(nil)]).unread == ["D1", "D2"])
        for behind in ["invalid", "unknown", nil] as [String?] {
            #expect(!Self.readiness([Self.app("valid"), Self.app(behind)]).isReady)
        }
        // Silence is no consent.
        #expect(!Self.readiness([nil, nil]).isReady)
    }

    /// A device's report about an older configuration does not count for the present one.
    @Test(arguments: ["valid", "invalid", "unknown", nil] as [String?])
    func onlyACurrentDeviceCounts(configState: String?) {
        let found = Self.readiness([Self.app("valid"), Self.app(configState, isCurrent: false)])
        #expect(found.decoded == 1 && found.behind == ["D1"] && found.refused.isEmpty && found.unread.isEmpty)
        #expect(!found.isReady)
    }

    /// With a server that does not state which app is current, the device's own state decides.
    @Test func whereTheServerDoesNotSayTheWholeDeviceDecides() {
        let app = Self.app("valid", isCurrent: nil)
        #expect(Self.readiness([app], isSynchronised: true).isReady)
        #expect(Self.readiness([app], isSynchronised: false).behind == ["D0"])
        #expect(Self.readiness([Self.app("valid")], isSynchronised: false).isReady)
    }

    /// What another group's assignment or a command gives says nothing about this one.
    @Test func appsThatAreGivenElsewhereDoNotCount() {
        let elsewhere = Self.readiness([
            Self.app("invalid", delivery: nil), Self.app(nil, delivery: "defaults"),
            Self.app(nil, managedBy: ManagedBy.command.rawValue),
        ])
        #expect(elsewhere.elsewhere == 3 && elsewhere.isReady)
    }

    // MARK: The sample

    @Test func theSameSourceChoosesTheSameDevices() {
        let devices = (0..<100).map { "D\($0)" }
        func chosen(_ seed: UInt64, _ devices: [String], _ count: Int = 5) -> [String] {
            var random = SplitMix64(seed: seed)
            return MigrationSample.choose(count, of: devices, using: &random)
        }
        #expect(chosen(1, devices) == chosen(1, devices.reversed() + devices))
        #expect(chosen(1, devices) != chosen(2, devices) && Set(chosen(1, devices)).count == 5)
        #expect(Set(chosen(1, devices, 200)) == Set(devices) && chosen(1, []).isEmpty)
    }
}
