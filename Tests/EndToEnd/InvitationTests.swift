import Foundation
import Synchronization
import Testing
import Waiting

/// A reviewer of an app sees it configured, on a device of theirs, by an invitation alone.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct InvitationTests {
    /// S4-BP-12: one command; a new device that has only the invitation reaches the configured app.
    @Test func anInvitationIsAllThatAReviewerNeeds() async throws {
        try await Road.with { road in
            try await road.configure("For review")
            try await road.assign()
            try await road.martlet("app", "create", "com.example.other", "--name", "Other")
            try await road.martlet("assign", "teachers", "com.example.other")
            let file = road.home.appending(path: "invitation.md").path
            let said = try await road.martlet("device", "invite", Road.app, "--output", file)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)

            // What a person does with it; only that this machine plays several devices is added.
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let enroll = try command("enroll", of: text)
            let code = try #require(text.firstMatch(of: /```sh\n([a-z2-7]{32})\n```/).map { String($0.1) })
            #expect(!enroll.contains(code), "an argument is for everybody to read")
            let given = ["--code-file", road.codeFile(code), "--directory"]
            #expect(!said.contains(code), "what is written is not shown")
            try road.installLandmarks()
            let enrolled = try await road.run("martlet-agent", enroll + given + [road.agentDirectory])
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent()
            let app = try RunningProcess(
                "Landmarks", Road.binary("martlet-agent"),
                try command("open", of: text) + ["--directory", road.agentDirectory],
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(app) }
            _ = try await app.line(containing: "== Managed Collection: For review ==")
            let status = try command("status", of: text) + ["--directory", road.agentDirectory]
            try await eventually("the configuration is valid") {
                try await road.run("martlet-agent", status).text.contains("  valid")
            }
            #expect(try await !road.run("martlet-agent", status).text.contains("com.example.other"))

            // Where whoever invited sees it, what changes there, and that it was for one device.
            let listed = try await road.martlet("device", "invitations")
            #expect(listed.contains(road.udid) && listed.contains(Road.app))
            try await road.configure("Changed")
            _ = try await app.line(containing: "== Managed Collection: Changed ==")
            let second = try await road.run(
                "martlet-agent", enroll + given + [road.home.appending(path: "second").path])
            #expect(second.status == 1)

            let mark = app.mark
            let name = try #require(listed.split(separator: "\n").last?.split(separator: " ").first.map(String.init))
            try await road.martlet("device", "uninvite", name)
            _ = try await app.line(containing: "(no managed collection)", after: mark)
            #expect(try await road.martlet("device", "invitations").contains("Nobody is invited"))
            #expect(try await !road.martlet("group", "list").contains(name))
            #expect(try await road.martlet("assignment", "list").contains("teachers"))
            for process in road.processes.withLock({ $0 }) {
                #expect(!process.output.contains { $0.text.contains(code) }, "\(process.name) wrote the code down")
            }
        }
    }

    /// One command takes it back before anybody came.
    @Test func anEndedInvitationLetsNobodyIn() async throws {
        try await Road.with { road in
            try await road.configure("For review")
            try await road.assign()
            let invitation = try await invite(road, "--devices", "2", "--days", "3")
            let codes = try #require(invitation["codes"] as? [String])
            #expect(codes.count == 2)
            let until = try Date(try #require(invitation["expires"] as? String), strategy: .iso8601)
            #expect(abs(until.timeIntervalSinceNow - 3 * 86_400) < 600)
            try await road.martlet("device", "uninvite", try #require(invitation["invitation"] as? String))
            for code in codes { #expect(try await road.tryToEnroll(code: code).status == 1) }
        }
    }

    /// What other groups have is out of reach of this command.
    @Test func onlyAnInvitationIsEnded() async throws {
        try await Road.with { road in
            try await road.configure("For review")
            try await road.assign()
            try await road.martlet("device", "uninvite", "teachers", status: 4)
            try await road.martlet("device", "uninvite", "invitation-aaaaaaaa", status: 3)
            #expect(try await road.martlet("assignment", "list").contains("teachers"))
        }
    }

    /// As which group has it has to be known; and the organization's secrets go to nobody by themselves.
    @Test func whatAReviewerGetsIsSaidByTheAdministrator() async throws {
        try await Road.with { road in
            try await road.martlet("device", "invite", Road.app, status: 3)
            try await road.configure("For review")
            try await road.assign()
            try await road.martlet("secret", "set", "wifi", "--password-stdin", input: "a password\n")
            try await road.martlet(
                "secret", "assign", "teachers", Road.app, "--identifier", "account", "--secret", "wifi")
            let without = try await invite(road)
            let with = try await invite(road, "--with-secrets")
            #expect((without["secrets"] as? [Any])?.isEmpty == true)
            #expect((with["secrets"] as? [[String: Any]])?.compactMap { $0["identifier"] as? String } == ["account"])
            let listed = try await road.martlet("assignment", "list", "--json")
            let all = try #require(try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]])
            func secrets(_ invitation: [String: Any]) -> Int? {
                let one = all.first { $0["group"] as? String == invitation["invitation"] as? String }
                return (one?["secrets"] as? [Any])?.count
            }
            #expect(secrets(without) == 0 && secrets(with) == 1)
            try await road.martlet("group", "create", "pupils")
            try await road.martlet("assign", "pupils", Road.app)
            try await road.martlet("device", "invite", Road.app, status: 4)
            _ = try await invite(road, "--like", "pupils")
            try await road.martlet("device", "invite", Road.app, "--like", "nobody", status: 3)
        }
    }

    /// Where the app is to know a person: one who is there for the invitation alone.
    @Test func aReviewerMaySignInAsAPersonOfTheInvitation() async throws {
        try await Road.with { road in
            try await road.configure("For review")
            try await road.assign()
            let invitation = try await invite(road, "--account", "reviewer@example.org")
            let name = try #require(invitation["invitation"] as? String)
            let password = try #require(invitation["password"] as? String)
            let enrolled = try await road.run(
                "martlet-agent",
                [
                    "enroll", "--account", "reviewer@example.org", "--url", road.url, "--ca-fingerprint",
                    try #require(invitation["authorityFingerprint"] as? String), "--password-stdin", "--directory",
                    road.agentDirectory,
                ], input: password + "\n")
            #expect(enrolled.status == 0, "\(enrolled.text)")
            let device = String(enrolled.text.split(separator: " ").last ?? "")
            #expect(try await road.martlet("device", "show", device).contains(name))
            try await road.martlet("device", "uninvite", name)
            try await road.martlet("person", "show", name, status: 3)
            #expect(try await road.martlet("device", "list").contains("withdrawn"))
        }
    }

    private func invite(_ road: Road, _ options: String...) async throws -> [String: Any] {
        let result = try await road.run("martlet", ["device", "invite", Road.app, "--json"] + options)
        guard result.status == 0, let start = result.text.firstIndex(of: "{") else {
            throw Road.Broken(description: "invite: \(result.text)")
        }
        return try #require(
            try JSONSerialization.jsonObject(with: Data(result.text[start...].utf8)) as? [String: Any])
    }

    /// The arguments of the one command of this name in an invitation.
    private func command(_ name: String, of text: String) throws -> [String] {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let found = lines.compactMap { words -> [String]? in
            let words = words.first == "sudo" ? Array(words.dropFirst()) : words
            return words.first == "martlet-agent" && words.dropFirst().first == name ? Array(words.dropFirst()) : nil
        }
        #expect(found.count == 1)
        return try #require(found.first)
    }
}
