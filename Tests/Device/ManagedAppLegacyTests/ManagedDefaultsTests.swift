import Foundation
import ManagedAppLegacy
import Synchronization
import Testing
import Waiting

/// User defaults that only these tests know, with our class; the link is the process's, so one test after the other.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ManagedDefaultsTests {
    private let defaults: UserDefaults

    init() throws {
        defaults = try #require(UserDefaults(suiteName: "dev.martlet.test.\(UUID().uuidString)"))
    }

    /// Red where a toolchain lays classes out otherwise: apps then have the argument domain.
    @Test func theClassFitsThisFoundation() {
        #expect(ManagedDefaults.takePlace(of: defaults))
        #expect(!ManagedDefaults.takePlace(of: defaults), "it is not Foundation's any more")
    }

    @Test func withoutAnAgentAllIsFoundations() {
        #expect(ManagedDefaults.takePlace(of: defaults))
        defaults.set(["n": 1], forKey: DefaultsKeys.feedback)
        defaults.set(7, forKey: "other")
        #expect(defaults.dictionary(forKey: DefaultsKeys.feedback)?["n"] as? Int == 1)
        #expect(defaults.integer(forKey: "other") == 7)
        #expect(defaults.object(forKey: DefaultsKeys.configuration) == nil)
        defaults.removeObject(forKey: DefaultsKeys.feedback)
        #expect(defaults.object(forKey: DefaultsKeys.feedback) == nil)
    }

    @Test func withAnAgentTheTwoKeysAreTheAdministrators() async throws {
        let agent = try ScriptedAgent(configuration: ["server": "https://example.com"])
        let link = DefaultsLink(origin: agent.origin, way: .standardObject) {}
        link.begin()
        ManagedDefaults.link.withLock { $0 = link }
        defer { ManagedDefaults.link.withLock { $0 = nil } }
        #expect(ManagedDefaults.takePlace(of: defaults))

        let server = "https://example.com"
        #expect(defaults.dictionary(forKey: DefaultsKeys.configuration)?["server"] as? String == server)
        #expect(defaults.objectIsForced(forKey: DefaultsKeys.configuration))
        defaults.set(["server": "mine"], forKey: DefaultsKeys.configuration)
        #expect(defaults.dictionary(forKey: DefaultsKeys.configuration)?["server"] as? String == server)
        agent.configure(nil)
        try await eventually("what was withdrawn uncovers the app's own") {
            defaults.dictionary(forKey: DefaultsKeys.configuration)?["server"] as? String == "mine"
        }

        defaults.set(["n": 4], forKey: DefaultsKeys.feedback)
        #expect(defaults.dictionary(forKey: DefaultsKeys.feedback)?["n"] as? Int == 4)
        try await eventually("the agent has it") { agent.feedback?["n"] as? Int == 4 }
        // Over the bound: the last good one stays.
        defaults.set(["text": String(repeating: "a", count: 20_000)], forKey: DefaultsKeys.feedback)
        #expect(defaults.dictionary(forKey: DefaultsKeys.feedback)?["n"] as? Int == 4)
        // No dictionary: for the app alone.
        defaults.set([1, 2], forKey: DefaultsKeys.feedback)
        #expect(defaults.array(forKey: DefaultsKeys.feedback) as? [Int] == [1, 2])
        try ManagedAppFeedback.update { $0["n"] = 5 }
        #expect(defaults.dictionary(forKey: DefaultsKeys.feedback)?["n"] as? Int == 5)
        #expect(throws: ManagedAppFeedbackError.tooDeep) {
            try ManagedAppFeedback.update { $0["deep"] = [[[[[[[[1]]]]]]]] }
        }
        defaults.removeObject(forKey: DefaultsKeys.feedback)
        #expect(link.feedback == nil)
    }

    @Test func asAnArgumentItComesAndGoes() throws {
        let value = try feedback(1)
        ArgumentDomain.put(value, into: defaults)
        #expect(defaults.dictionary(forKey: DefaultsKeys.configuration)?["n"] as? Int == 1)
        defaults.setVolatileDomain(["flag": "x"], forName: UserDefaults.argumentDomain)
        ArgumentDomain.put(nil, into: defaults)
        #expect(defaults.dictionary(forKey: DefaultsKeys.configuration) == nil)
        #expect(defaults.string(forKey: "flag") == "x")
    }
}
