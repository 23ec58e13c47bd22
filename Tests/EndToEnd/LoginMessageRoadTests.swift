import Foundation
import Testing
import Waiting

/// A login message that an administrator sets and gives to a group, with the real processes.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct LoginMessageRoadTests {
    /// A machine shows the message of its group until it is withdrawn; the next version replaces it.
    ///
    /// Red where the agent does not take the type, the effect writes another file, or a withdrawn message stays. A
    /// person's device in the same group is not given it: red where the server does not ask for the owner.
    @Test func anAssignedMessageIsShownUntilItIsWithdrawn() async throws {
        try await Road.with { road in
            // In the place of /run/motd.d, which is the machine's.
            let shown = road.home.appending(path: "motd.d").path
            func content() -> String? { try? String(contentsOfFile: shown + "/50-martlet", encoding: .utf8) }
            try road.installLandmarks()
            let enrolled = try await road.tryToEnroll(code: road.enrollmentCode())
            try #require(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent("--login-messages", shown)

            try await Self.set("Welcome", on: road)
            try await road.martlet("setting", "assign", "teachers", "login-message", "lobby")
            try await eventually("the message is shown") { content() == "Welcome\n" }
            try await road.synchronised()
            let explained = try await road.martlet("device", "explain", road.udid)
            #expect(explained.contains("login-message lobby, version 1"), "\(explained)")
            #expect(!explained.contains("withheld"), "\(explained)")

            try await Self.set("Closed on Friday", on: road)
            try await eventually("the new message is shown") { content() == "Closed on Friday\n" }

            let person = try await road.enroll(
                code: road.enrollmentCode("--personal"), directory: road.home.appending(path: "other").path)
            let withheld = try await road.martlet("device", "explain", person)
            #expect(withheld.contains("it concerns the whole device, and this one belongs to a person"), "\(withheld)")

            try await road.martlet("setting", "unassign", "teachers", "login-message", "lobby")
            try await eventually("the message is gone") { content() == nil }
            try await road.martlet("setting", "remove", "login-message", "lobby")
        }
    }

    /// An agent that may show no messages says so, and the administrator reads why.
    ///
    /// Red where the refusal is not reported: the configuration would count as valid or stay unknown.
    @Test func aDeviceThatShowsNoneSaysWhy() async throws {
        try await Road.with { road in
            try await road.enroll()
            try await Self.set("Welcome", on: road)
            try await road.martlet("setting", "assign", "teachers", "login-message", "lobby")
            var last = ""
            try await eventually("the device says why it shows nothing, but \(last)") { () -> Bool in
                last = try await road.deviceShown()
                return last.contains("do not let a server show a text after a login (loginMessages)")
            }
        }
    }

    private static func set(_ text: String, on road: Road) async throws {
        try await road.martlet("setting", "set", "login-message", "lobby", "--text", text)
    }
}
