import AppMessages
import CLinux
import Foundation
import Testing

@testable import ManagedApp

/// An agent that ends while it receives a report.
@Suite(.timeLimit(.minutes(10)))
struct ReportSenderTests {
    /// Hears calls, and answers those it is asked to.
    private struct Listener: ~Copyable {
        let path: String
        private let socket: Int32

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)").path
            socket = unsafe clinux_listen(path, 0o600)
            try #require(socket >= 0)
        }

        deinit {
            close(socket)
            unsafe unlink(path)
        }

        /// The version that the next call reports, with or without an answer: `heard` is done before it, `act` after it.
        func version(
            answers: Bool, saying answer: Data = Varlink.reply(Varlink.Nothing()), before act: () -> Void = {},
            whileHearing heard: () -> Void = {}
        ) async throws -> String? {
            var connection: Int32 = -1
            while connection < 0 {
                connection = clinux_accept(socket)
                // Until the suite's time is over: who never calls fails the test so.
                if connection < 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            defer { close(connection) }
            var reader = FrameReader(limit: FrameReader.callLimit)
            while true {
                if let message = try reader.next() {
                    guard case .reportConfiguration(let outcome) = try AppCall(VarlinkCall(parsing: message)) else {
                        return nil
                    }
                    heard()
                    if answers {
                        try #require(AgentSocket.send(answer, to: connection))
                    }
                    act()
                    return outcome.version
                }
                guard case .read = AgentSocket.read(from: connection, into: &reader, milliseconds: 240_000) else {
                    return nil
                }
            }
        }
    }

    private let old = String(repeating: "0", count: 64)
    private let new = String(repeating: "1", count: 64)

    private func outcome(_ version: String) -> ConfigurationOutcome {
        ConfigurationOutcome(version: version, valid: true)
    }

    /// The app repeats the newest report, not the earlier one that the agent had confirmed.
    @Test func whatWasBeingToldWhenTheAgentEndedIsToldToTheNext() async throws {
        let listener = try Listener()
        let sender = ReportSender(path: listener.path)
        sender.send(outcome(old))
        #expect(try await listener.version(answers: true) == old)
        sender.send(outcome(new))
        // The stream ends before the call does.
        #expect(try await listener.version(answers: false) { sender.forgetSent() } == new)
        sender.retry()
        #expect(try await listener.version(answers: true) == new)
    }

    /// The next agent may be there before the attempt at the last one has failed.
    @Test func anAgentThatCameDuringAFailingAttemptIsTold() async throws {
        let listener = try Listener()
        let sender = ReportSender(path: listener.path)
        sender.send(outcome(new))
        let first = try await listener.version(answers: false) {
            sender.forgetSent()
            sender.retry()
        }
        #expect(first == new)
        #expect(try await listener.version(answers: true) == new)
    }

    /// The app repeats a report that was under way when the agent forgot, although the agent confirmed it.
    @Test func whatTheAgentForgotWhileItHeardItIsToldAgain() async throws {
        let listener = try Listener()
        let sender = ReportSender(path: listener.path)
        sender.send(outcome(new))
        let first = try await listener.version(
            answers: true,
            whileHearing: {
                sender.forgetSent(of: new)
                sender.retry()
                // The decoder says the same of the version that came back.
                sender.send(outcome(new))
            })
        #expect(first == new)
        #expect(try await listener.version(answers: true) == new)
    }

    /// B9: the app repeats a report that the agent could not write to the disk.
    @Test func anAgentThatCouldNotKeepAReportIsToldAgain() async throws {
        let listener = try Listener()
        let sender = ReportSender(path: listener.path, firstPause: .milliseconds(1))
        sender.send(outcome(new))
        #expect(try await listener.version(answers: true, saying: Varlink.reply(VarlinkError.internalError)) == new)
        #expect(try await listener.version(answers: true) == new)
    }

    /// The app repeats a report by itself if the agent is there but does not answer in time.
    @Test func anAgentThatWasTooSlowIsToldAgain() async throws {
        let listener = try Listener()
        let sender = ReportSender(path: listener.path, patience: .milliseconds(50), firstPause: .milliseconds(1))
        sender.send(outcome(new))
        let first = try await listener.version(answers: false) { Thread.sleep(forTimeInterval: 0.2) }
        #expect(first == new)
        #expect(try await listener.version(answers: false) == new)
    }
}
