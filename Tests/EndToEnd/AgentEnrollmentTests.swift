import Foundation
import Testing

/// Enrollment as people do it: with answers that get lost, and beside an agent that runs already.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AgentEnrollmentTests {
    /// Whichever answer is lost, the same command again goes on with the same key and the same one-time code: a server
    /// refuses another key for a code that was used.
    @Test func whicheverAnswerIsLostTheSameCommandAgainFinishes() async throws {
        try await LossyRelay.with { relay in
            try await Road.with(through: relay) { road in
                var interrupted = 0
                for number in 1...40 {
                    let code = try await road.enrollmentCode()
                    let directory = road.home.appending(path: "agent-\(number)").path
                    relay.lose(number)
                    let first = try await road.tryToEnroll(code: code, directory: directory)
                    let wasLost = relay.hasLost
                    relay.lose(nil)
                    guard wasLost else {
                        #expect(first.status == 0, "\(first.text)")
                        break
                    }
                    // A lost farewell of TLS costs nothing.
                    interrupted += first.status == 0 ? 0 : 1
                    let second = try await road.tryToEnroll(code: code, directory: directory)
                    #expect(second.status == 0, "after answer \(number) was lost: \(first.text) \(second.text)")
                    let third = try await road.tryToEnroll(code: code, directory: directory)
                    #expect(third.text.hasPrefix("enrolled as "), "once enrolled, the same command does nothing")
                }
                // Profile, capabilities, authority, certificate, Authenticate and TokenUpdate at the least.
                #expect(interrupted >= 6)
                let codes = try await road.martlet("enrollment-code", "list")
                #expect(!codes.contains("open"), "every code was used by exactly one device")
            }
        }
    }

    /// `device withdraw` asks at a terminal; a device that leaves afterwards learns that its enrollment had ended.
    ///
    /// Red where the command did not ask, and where every refused CheckOut was taken for a server that is not reached.
    @Test func aDeviceThatLeavesAfterItsWithdrawalLearnsOfThat() async throws {
        try await Road.with { road in
            let enrolled = try await road.tryToEnroll(code: road.enrollmentCode())
            let name = try #require(enrolled.text.firstMatch(of: /enrolled as (\S+)/)?.1, "\(enrolled.text)")
            let command = "\(Road.binary("martlet").path) device withdraw \(name)"
            for (answer, outcome) in [("n", "nothing was withdrawn"), ("y", "Withdrew the enrollment")] {
                try await road.shell(
                    "printf '\(answer)\\n' | script -qec '\(command)' /dev/null > asked.txt; test -s asked.txt")
                let text = try String(contentsOf: road.home.appending(path: "asked.txt"), encoding: .utf8)
                #expect(text.contains("[y/N]") && text.contains(outcome), "\(text)")
            }
            // No agent runs: it would leave by itself.
            let left = try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory])
            #expect(left.status == 0)
            #expect(left.text == "left; the server had ended this device's enrollment already")
        }
    }

    /// A device is set up in any order: the agent that runs already takes the enrollment, and serves at once.
    ///
    /// By itself it would look in a day only.
    @Test func aRunningAgentEnrolsAndServesWithoutARestart() async throws {
        try await Road.with { road in
            try await road.configure("At once")
            try await road.assign()
            try road.installLandmarks()
            try await road.startAgent("--poll-interval", "86400")
            let app = try road.openLandmarks()
            _ = try await app.line(after: 0, "the first view", where: isAnEmptyView)

            let mark = app.mark
            let code = try await road.enrollmentCode()
            let enrolled = try await road.tryToEnroll(code: code)
            #expect(enrolled.status == 0, "\(enrolled.text)")
            #expect(enrolled.text.contains("enrolled as \(road.udid)"))
            _ = try await app.line(containing: "Managed Collection: At once", after: mark)
            #expect(try road.agent.isRunning)

            // The same command once more says the same; another code is refused with what to do.
            #expect(try await road.tryToEnroll(code: code).status == 0)
            let other = try await road.tryToEnroll(code: road.enrollmentCode())
            #expect(other.status == 1)
            #expect(other.text.contains("martlet-agent unenroll"))

            // And back: the app hears of it, and the device may enroll again.
            let before = app.mark
            let left = try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory])
            #expect(left.status == 0, "\(left.text)")
            #expect(left.text == "left the server")
            _ = try await app.line(after: before, "a view without one", where: isAnEmptyView)
            let again = app.mark
            #expect(try await road.tryToEnroll(code: road.enrollmentCode()).status == 0)
            _ = try await app.line(containing: "Managed Collection: At once", after: again)
        }
    }

    /// An argument is for everybody on the machine to read: a code comes by a file or standard input.
    @Test func aCodeIsNoArgument() async throws {
        try await Road.with { road in
            let place = ["enroll", "--url", road.url, "--ca-file", road.authority, "--directory", road.agentDirectory]
            let argument = try await road.run("martlet-agent", place + ["--code", "never-made-by-anybody"])
            #expect(argument.status == 64, "\(argument.text)")
            let nothing = try await road.run("martlet-agent", place)
            #expect(nothing.status == 1 && nothing.text.contains("--code-file"), "\(nothing.text)")
            let missing = try await road.run("martlet-agent", place + ["--code-file", road.home.path + "/none"])
            #expect(missing.status == 1 && missing.text.contains("cannot be read"), "\(missing.text)")
            let given = try await road.run(
                "martlet-agent", place + ["--code-file", "-"], input: "\(try await road.enrollmentCode())\n")
            #expect(given.status == 0, "\(given.text)")
        }
    }

    /// Red where the network's own error was shown.
    @Test func aWrongPortIsNamedWithWhatToDo() async throws {
        try await Road.with { road in
            let url = "https://localhost:\(try KeptPort.next())"
            let fingerprint = String(repeating: "0", count: 64)
            for trust in [["--ca-file", road.authority], ["--ca-fingerprint", fingerprint]] {
                let refused = try await road.run(
                    "martlet-agent",
                    ["enroll", "--url", url, "--code-file", "-", "--directory", road.agentDirectory] + trust,
                    input: "never-made-by-anybody\n")
                #expect(refused.status == 1)
                #expect(
                    refused.text.contains("the server at \(url) cannot be reached: nothing takes connections")
                        && refused.text.contains("address and port") && !refused.text.contains("NIO"),
                    "\(refused.text)")
            }
        }
    }

    /// What a person mistypes is answered with what to do next, without a word of the code.
    @Test func aWrongCodeIsRefusedWithWhatToDo() async throws {
        try await Road.with { road in
            let code = "never-made-by-anybody"
            let refused = try await road.tryToEnroll(code: code)
            #expect(refused.status == 1)
            #expect(refused.text.contains("martlet enrollment-code create"))
            #expect(!refused.text.contains(code))
            let unknown = try await road.run("martlet-agent", ["open", Road.app, "--directory", road.agentDirectory])
            #expect(unknown.status == 1)
            #expect(unknown.text.contains("martlet-agent run"))
        }
    }
}
