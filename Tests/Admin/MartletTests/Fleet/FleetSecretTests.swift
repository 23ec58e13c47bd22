import AdminMessages
import InputBounds
import Testing
import martlet

/// What a directory would bring into user defaults and looks like a secret is found before anything is changed: the
/// server knows of an assignment of the same plan only afterwards.
struct FleetSecretTests {
    private static let configuration = FleetThing.configuration(app: "com.example.a", name: "main")
    private static let assignment = FleetThing.assignment(group: "g", app: "com.example.a")

    private static func wish(delivery: String?, configuration name: String = "main", key: String) -> FleetWish {
        var facts: [String: PropertyListValue] = ["configuration": .string(name)]
        facts["delivery"] = delivery.map { .string($0) }
        var wish = FleetWish()
        wish.items = [
            configuration: FleetItem(.dictionary([key: .string("hunter2")])),
            assignment: FleetItem(.dictionary(facts), needs: [configuration]),
        ]
        return wish
    }

    private static func found(_ wish: FleetWish, from state: FleetState = [:]) -> [String] {
        Plan(from: state, to: wish, prune: false).steps.flatMap { step in
            wish.suspectedSecrets(by: step).map { "\(step.thing): \($0.path) \($0.rule)" }
        }
    }

    @Test func whatIsDeliveredSoIsFoundWithItsConfigurationAndItsAssignment() {
        for delivery in ["defaults", "both"] {
            let found = Self.found(Self.wish(delivery: delivery, key: "apiToken"))
            #expect(found.count == 2 && found.allSatisfy { $0.hasSuffix(": apiToken suspectedSecret") }, "\(found)")
        }
        #expect(Self.found(Self.wish(delivery: nil, key: "apiToken")).isEmpty)
        #expect(Self.found(Self.wish(delivery: "framework", key: "apiToken")).isEmpty)
        #expect(Self.found(Self.wish(delivery: "both", configuration: "other", key: "apiToken")).isEmpty)
        #expect(Self.found(Self.wish(delivery: "both", key: "title")).isEmpty)
    }

    /// What is delivered already is not asked about again; a delivery that becomes another is.
    @Test func aChangeOfAnAssignmentIsFoundWhereItChangesWhatIsDelivered() {
        let wish = Self.wish(delivery: "both", key: "apiToken")
        var state = wish.items
        state[Self.assignment]?.facts = .dictionary(["configuration": .string("main")])
        #expect(Self.found(wish, from: state).count == 1)
        state[Self.assignment]?.facts = .dictionary([
            "configuration": .string("main"), "delivery": .string("both"), "priority": .integer(3),
        ])
        #expect(Self.found(wish, from: state).isEmpty)
        #expect(Self.found(wish, from: wish.items).isEmpty)
    }
}
