import AppMessages
import Foundation
import ManagedAppLegacy
import Synchronization
import Testing
import Waiting

/// A process and its agent over a real socket.
@Suite(.timeLimit(.minutes(10)))
struct DefaultsLinkTests {
    private static func link(
        _ agent: ScriptedAgent, foundation: FoundationsFeedback = .standard,
        notify: @escaping @Sendable () -> Void = {}
    ) -> DefaultsLink {
        let link = DefaultsLink(
            origin: agent.origin, way: .standardObject, foundation: foundation, notify: notify)
        link.begin()
        return link
    }

    @Test func theFirstReadWaitsForTheAgent() throws {
        let agent = try ScriptedAgent(configuration: ["n": 1])
        let link = Self.link(agent)
        #expect(link.configuration?.dictionary["n"] as? Int == 1)
    }

    @Test func aChangeIsNotifiedOnceItCanBeRead() async throws {
        let agent = try ScriptedAgent(configuration: ["n": 1])
        let heard = Heard()
        let link = Self.link(agent) { heard.count.withLock { $0 += 1 } }
        #expect(link.configuration?.dictionary["n"] as? Int == 1)
        agent.configure(["n": 2])
        try await eventually("the app is notified") { heard.count.withLock { $0 > 0 } }
        #expect(link.configuration?.dictionary["n"] as? Int == 2)
    }

    private final class Heard: Sendable {
        let count = Mutex(0)
    }

    @Test func feedbackReachesTheAgentAndTheNextProcess() async throws {
        let agent = try ScriptedAgent()
        let link = Self.link(agent)
        #expect(count(link.readFeedback()) == nil)
        for number in 1...50 { _ = link.write(try feedback(number)) }
        try await eventually("the agent has the newest") { agent.feedback?["n"] as? Int == 50 }
        let next = Self.link(agent)
        #expect(count(next.readFeedback()) == 50)
    }

    @Test func feedbackIsHandedOverOnce() async throws {
        let agent = try ScriptedAgent()
        let heard = Heard()
        let link = Self.link(agent) { heard.count.withLock { $0 += 1 } }
        _ = link.write(try feedback(5))
        #expect(link.keepsFeedback)
        agent.take()
        try await eventually("it is handed over") { agent.handed.count == 1 }
        try await eventually("the app is notified") { heard.count.withLock { $0 > 0 } }
        #expect(agent.handed.first.flatMap { count($0) } == 5)
        #expect(link.feedback == nil)
        _ = link.write(try feedback(1))
        try await eventually("the next life has its own") { agent.feedback?["n"] as? Int == 1 }
        #expect(agent.handed.count == 1)
    }

    @Test func anUpdateIsNotTakenApart() async throws {
        let agent = try ScriptedAgent()
        let link = Self.link(agent)
        link.hold()
        agent.take()
        _ = link.write(try feedback(7))
        try await eventually("what was written is sent") { agent.feedback?["n"] as? Int == 7 }
        #expect(agent.handed.isEmpty)
        link.release()
        try await eventually("it is handed over") { agent.handed.first.flatMap { count($0) } == 7 }
    }

    @Test func theEndOfTheProcessWaitsForWhatIsUnderWay() throws {
        let agent = try ScriptedAgent()
        let link = Self.link(agent)
        _ = link.write(try feedback(3))
        _ = link.keepsFeedback
        link.flush(within: patience)
        #expect(agent.feedback?["n"] as? Int == 3)
    }

    @Test func anAppCanWaitUntilTheAgentHasWhatItWrote() throws {
        let agent = try ScriptedAgent()
        let link = Self.link(agent)
        for number in 1...20 { _ = link.write(try feedback(number)) }
        #expect(link.isKept(within: patience))
        #expect(agent.feedback?["n"] as? Int == 20)
    }

    /// `isKept` is true only when the agent alone has the feedback.
    ///
    /// Red where it is true while feedback from a time without an agent waits in Foundation's defaults, or while
    /// Foundation's file still has feedback that the agent has, too: the next process would count it again.
    @Test func whatWaitsInFoundationsDefaultsIsNotKept() async throws {
        let agent = try ScriptedAgent(feedback: ["n": 5])
        let foundation = PlayedFoundation(["n": 2])
        let link = Self.link(agent, foundation: foundation.feedback)
        #expect(count(link.readFeedback()) == 5, "the agent's goes first")
        #expect(!link.isKept(within: .zero))
        _ = link.write(try feedback(6))
        try await eventually("the agent has the newest") { agent.feedback?["n"] as? Int == 6 }
        #expect(!link.isKept(within: .milliseconds(50)))
        #expect(foundation.onDisk?["n"] as? Int == 2)

        agent.take()
        try await eventually("it is handed over") { agent.handed.count == 1 }
        #expect(link.isKept(within: patience))
        #expect(agent.feedback?["n"] as? Int == 2, "what waited is in the next life")
        #expect(foundation.onDisk == nil)
    }

    /// Red where the link forgets that it still has to write the file.
    @Test func aRemovalThatFoundationCannotWriteIsNotKept() throws {
        let agent = try ScriptedAgent()
        let foundation = PlayedFoundation(["n": 2])
        foundation.fail(true)
        let link = Self.link(agent, foundation: foundation.feedback)
        #expect(link.keepsFeedback)
        #expect(!link.isKept(within: .milliseconds(50)))
        foundation.fail(false)
        #expect(link.isKept(within: patience))
        #expect(agent.feedback?["n"] as? Int == 2)
        #expect(foundation.onDisk == nil)
    }

    /// Red where the link keeps taking over, or waits for, feedback that the app registers as a default.
    @Test func whatIsRegisteredIsTakenOverOnce() async throws {
        let agent = try ScriptedAgent()
        let link = Self.link(agent, foundation: PlayedFoundation(["n": 2], isRegistered: true).feedback)
        try await eventually("it is taken over") { agent.feedback?["n"] as? Int == 2 }
        #expect(link.isKept(within: patience))
        agent.take()
        try await eventually("it is handed over") { agent.handed.count == 1 }
        #expect(link.isKept(within: patience))
        #expect(agent.feedback == nil)
    }

    /// Foundation's feedback, in memory and on the disk.
    private final class PlayedFoundation: Sendable {
        private struct State {
            var known: Data?
            var written: Data?
            var fails = false
        }

        private let state = Mutex(State())
        private let isRegistered: Bool

        init(_ feedback: [String: Any], isRegistered: Bool = false) {
            self.isRegistered = isRegistered
            let data = propertyList(feedback)
            state.withLock { ($0.known, $0.written) = (data, data) }
        }

        var onDisk: [String: Any]? { state.withLock(\.written).flatMap(dictionary) }

        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        var feedback: FoundationsFeedback {
            FoundationsFeedback(
                read: { self.state.withLock(\.known).flatMap(dictionary) },
                remove: { if !self.isRegistered { self.state.withLock { $0.known = nil } } },
                write: {
                    self.state.withLock { state in
                        if !state.fails { state.written = state.known }
                        return !state.fails
                    }
                })
        }
    }

    /// Red where each start of an app waits in vain for an agent that is older than the dictionaries.
    @Test func withAnOlderAgentAllIsFoundations() throws {
        let agent = try ScriptedAgent(knowsDefaults: false)
        let link = Self.link(agent)
        #expect(!link.keepsFeedback)
        #expect(link.configuration == nil)
    }
}
