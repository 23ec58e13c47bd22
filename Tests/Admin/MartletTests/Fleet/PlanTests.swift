import InputBounds
import Testing

@testable import martlet

/// What has to be done, worked out from what is there and what is wished for.
struct PlanTests {
    private static let app = FleetThing.app("com.example.a")
    private static let configuration = FleetThing.configuration(app: "com.example.a", name: "main")

    private static func item(_ text: String, tag: String? = nil, needs: [FleetThing] = []) -> FleetItem {
        FleetItem(.dictionary(["value": .string(text)]), tag: tag, needs: needs)
    }

    private static func wish(_ items: [FleetThing: FleetItem], parts: [FleetPart] = FleetPart.allCases) -> FleetWish {
        var wish = FleetWish()
        wish.items = items
        wish.parts = Set(parts)
        return wish
    }

    @Test func whatIsAsWishedIsLeftAlone() {
        let items = [Self.app: Self.item("a"), Self.configuration: Self.item("b")]
        let plan = Plan(from: items, to: Self.wish(items), prune: true)
        #expect(plan.isEmpty && plan.unchanged == [Self.app, Self.configuration] && plan.kept.isEmpty)
    }

    @Test func aChangeNamesTheKeysAndHoldsForWhatWasSeen() throws {
        let plan = Plan(
            from: [Self.configuration: Self.item("old", tag: "\"v3\"")],
            to: Self.wish([Self.configuration: Self.item("new")]), prune: false)
        let step = try #require(plan.steps.first)
        #expect(plan.steps.count == 1 && step.change == .change && step.tag == "\"v3\"")
        #expect(step.differences.map(\.keyText) == ["~ value"])
    }

    @Test func anItemOfAListIsShownByItself() throws {
        func item(_ texts: [String]) -> FleetItem {
            FleetItem(.dictionary(["list": .array(texts.map { .string($0) })]))
        }
        let plan = Plan(
            from: [Self.configuration: item(["a", "b"])], to: Self.wish([Self.configuration: item(["b"])]),
            prune: false)
        let step = try #require(plan.steps.first)
        #expect(step.differences.map { $0.keyText + $0.valuesText } == ["- list[0]: “a”"])
    }

    @Test func withoutPruningNothingGoesAndWhatStaysIsSaid() {
        let state = [Self.app: Self.item("a"), Self.configuration: Self.item("b"), .group("g"): FleetItem()]
        let plan = Plan(from: state, to: Self.wish([:]), prune: false)
        #expect(plan.isEmpty)
        #expect(plan.kept == [.group("g"), Self.app], "an app stays with all that is its own")
        let text = PlanText(plan).text
        #expect(text.contains("stays (--prune removes it)") && text.contains("group g"))
    }

    /// A group takes devices by hand only without a rule: so rules go before everything, and come after everything.
    @Test func rulesOfGroupsGoFirstAndComeLast() {
        let state: FleetState = [
            .group("a"): FleetItem(), .groupRule(group: "a"): Self.item("old"), .group("b"): FleetItem(),
            .group("c"): FleetItem(), .groupRule(group: "c"): Self.item("old"),
            .expectedDevice(serialNumber: "S1"): FleetItem(needs: [.group("b")]),
        ]
        let wish = Self.wish([
            .group("a"): FleetItem(), .group("b"): FleetItem(),
            .groupRule(group: "b"): Self.item("new", needs: [.group("b")]),
            .expectedDevice(serialNumber: "S2"): FleetItem(needs: [.group("a")]),
        ])
        let plan = Plan(from: state, to: wish, prune: true)
        #expect(plan.steps.map(\.change) == [.remove, .create, .remove, .remove, .create])
        #expect(
            plan.steps.map(\.thing) == [
                .groupRule(group: "a"), .expectedDevice(serialNumber: "S2"), .expectedDevice(serialNumber: "S1"),
                .group("c"), .groupRule(group: "b"),
            ], "a group that goes takes its rule with it")
        let stays = Plan(from: state, to: wish, prune: false)
        #expect(stays.faults.contains { $0.contains("the group a has a rule") }, "\(stays.faults)")
        #expect(Plan(from: state, to: Self.wish([:]), prune: false).kept.allSatisfy { $0.kind != .groupRule })
    }

    @Test func whatTheDirectoryDoesNotSpeakOfStaysEvenWhenPruned() {
        let state = [FleetThing.group("g"): FleetItem(), .secret("s"): Self.item("x"), Self.app: Self.item("a")]
        let plan = Plan(from: state, to: Self.wish([:], parts: [.apps]), prune: true)
        #expect(plan.steps.map(\.thing) == [Self.app])
    }

    @Test func whoWritesAnAppsFolderSaysAllOfTheApp() {
        let wish = Self.wish([Self.app: Self.item("a")], parts: [])
        let other = FleetThing.configuration(app: "com.example.b", name: "main")
        let plan = Plan(
            from: [Self.app: Self.item("a"), Self.configuration: Self.item("b"), other: Self.item("c")], to: wish,
            prune: true)
        #expect(plan.steps.map(\.thing) == [Self.configuration])
    }

    @Test func aSecretIsComparedByItsMarkerAlone() {
        func secret(_ marker: String?) -> FleetItem {
            var facts: [String: PropertyListValue] = ["kind": .string("password")]
            facts["marker"] = marker.map { .string($0) }
            return FleetItem(.dictionary(facts))
        }
        func changes(_ there: String?, _ wished: String?) -> [Plan.Change] {
            Plan(from: [.secret("s"): secret(there)], to: Self.wish([.secret("s"): secret(wished)]), prune: true)
                .steps.map(\.change)
        }
        #expect(changes("1", "1") == [])
        #expect(changes("1", "2") == [.change])
        #expect(changes(nil, "1") == [.change])
        #expect(changes("1", nil) == [], "who gives no marker has no opinion")
    }

    @Test func aSecretOfAnotherKindIsAFault() {
        let plan = Plan(
            from: [.secret("s"): FleetItem(.dictionary(["kind": .string("password")]))],
            to: Self.wish([.secret("s"): FleetItem(.dictionary(["kind": .string("scep")]))]), prune: false)
        #expect(plan.faults.count == 1)
    }

    @Test func whatIsNeededIsInTheDirectoryOrStaysOnTheServer() {
        let assignment = FleetThing.assignment(group: "g", app: "com.example.a")
        let wish = Self.wish([assignment: Self.item("x", needs: [.group("g")])])
        #expect(Plan(from: [:], to: wish, prune: false).faults.count == 1)
        #expect(Plan(from: [.group("g"): FleetItem()], to: wish, prune: false).faults.isEmpty)
        #expect(Plan(from: [.group("g"): FleetItem()], to: wish, prune: true).faults.count == 1, "it would be removed")
    }

    @Test(arguments: [PlanTests.configuration, .setting(kind: "root-certificate", name: "proxy")])
    func valuesOfConfigurationsAndSettingsAreShownOnlyWhereAskedFor(thing: FleetThing) {
        let plan = Plan(
            from: [thing: Self.item("the old value")], to: Self.wish([thing: Self.item("the new value")]), prune: false)
        #expect(!PlanText(plan).text.contains("the new value") && !PlanText(plan).text.contains("the old value"))
        #expect(PlanText(plan, showsValues: true).text.contains("“the old value” → “the new value”"))
    }

    /// Doing the steps one after the other, each thing that is needed is there, nothing that is needed goes, and then
    /// there is nothing more to do.
    @Test(arguments: 0..<200) func stepsInTheirOrderLeadToTheWish(seed: UInt64) {
        var random = Seeded(seed + 1)
        let (before, wished, prune) = (Self.fleet(&random), Self.fleet(&random), Bool.random(using: &random))
        let wish = Self.wish(wished)
        let plan = Plan(from: before, to: wish, prune: prune)
        #expect(Set(plan.steps.map(\.thing)).count == plan.steps.count, "each thing once")
        guard plan.faults.isEmpty else { return }
        var state = before
        for step in plan.steps {
            if step.change == .remove {
                state[step.thing] = nil
                // The server lets a rule go with its group.
                if case .group(let group) = step.thing { state[.groupRule(group: group)] = nil }
            } else {
                #expect((state[step.thing] == nil) == (step.change == .create))
                state[step.thing] = wished[step.thing]
            }
            for (thing, item) in state where thing == step.thing || step.change == .remove {
                if case .expectedDevice = thing, case .group(let group)? = item.needs.first {
                    #expect(state[.groupRule(group: group)] == nil, "\(thing) comes by hand after \(step.thing)")
                }
                for need in item.needs {
                    #expect(state[need] != nil, "\(thing) needs \(need) after \(step.change) \(step.thing)")
                }
            }
        }
        #expect(Plan(from: state, to: wish, prune: prune).isEmpty)
        if prune { #expect(state == wished) }
    }

    /// A fleet that fits together: nothing needs what is not there.
    private static func fleet(_ random: inout Seeded) -> FleetState {
        var all: FleetState = [:]
        let groups = ["g", "h"].filter { _ in Bool.random(using: &random) }
        let secrets = ["s", "t"].filter { _ in Bool.random(using: &random) }
        for group in groups {
            all[.group(group)] = FleetItem()
            switch (0..<3).randomElement(using: &random) {
            case 0: all[.groupRule(group: group)] = item("one", needs: [.group(group)])
            case 1: all[.expectedDevice(serialNumber: "S-\(group)")] = item("one", needs: [.group(group)])
            default: break
            }
        }
        for secret in secrets { all[.secret(secret)] = FleetItem(.dictionary(["kind": .string("password")])) }
        for name in ["p", "q"] where Bool.random(using: &random) {
            let setting = FleetThing.setting(kind: "k", name: name)
            all[setting] = item("one")
            for group in groups where Bool.random(using: &random) {
                all[.settingAssignment(group: group, kind: "k", name: name)] = item(
                    "one", needs: [.group(group), setting])
            }
        }
        for app in ["com.example.a", "com.example.b"] where Bool.random(using: &random) {
            let word = { (random: inout Seeded) in ["one", "two"].randomElement(using: &random) ?? "" }
            all[.app(app)] = item(word(&random))
            let configurations = ["x", "y"].filter { _ in Bool.random(using: &random) }
            for name in configurations {
                all[.configuration(app: app, name: name)] = item(word(&random), needs: [.app(app)])
            }
            for group in groups where Bool.random(using: &random) {
                let assignment = FleetThing.assignment(group: group, app: app)
                let needs = configurations.prefix(1).map { FleetThing.configuration(app: app, name: $0) }
                all[assignment] = item(configurations.first ?? "none", needs: [.app(app), .group(group)] + needs)
                for secret in secrets.prefix(1) {
                    let thing = FleetThing.secretAssignment(
                        group: group, app: app, extension: nil, kind: "password", identifier: "p")
                    all[thing] = item(secret, needs: [assignment, .secret(secret)])
                }
            }
        }
        return all
    }
}

/// The same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
