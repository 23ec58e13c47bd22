import Foundation
import Testing
import Waiting

/// A person enrolls a part of their own device by an account (S4-PLAT-05, A22).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AccountEnrollmentTests {
    /// The account finds the server, the person signs in, the app has what its person is given, and neither serial number,
    /// UDID nor host name came to the server; the password was good for this once.
    @Test func aPersonEnrolsByAccountAndTheDeviceStaysAnonymous() async throws {
        try await Road.with { road in
            let serial = "SERIAL-OF-A-PERSON"
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(
                dictionary: "<key>mail</key><string>${person.email}</string>")
            try await echo.assign()
            try await road.martlet("person", "set", "anna", "--email", "anna@example.org")
            let password = try await road.invite("anna")
            let here = ["--serial-number", serial, "--directory", road.agentDirectory]

            let wrong = try await road.enrolByAccount("anna@example.org", password: "wrong", here)
            #expect(wrong.status == 1 && wrong.text.contains("sign-in was refused"), "\(wrong.text)")
            let enrolled = try await road.enrolByAccount("Anna@Example.org", password: password, here)
            #expect(enrolled.status == 0, "\(enrolled.text)")
            // The same command again has nothing to do, and asks for nothing.
            let again = try await road.enrolByAccount("anna@example.org", password: "", here)
            #expect(again.status == 0, "\(again.text)")
            try await road.startAgent("--serial-number", serial)
            for text in [enrolled.text, again.text] { #expect(text.hasSuffix("enrolled as \(road.udid)")) }

            let app = try echo.open("any")
            let wanted = #"value {"mail":"anna@example.org"}"#
            _ = try await app.line(after: 0, wanted) { $0 == wanted }
            let page = try await road.deviceShown()
            for word in ["user", "a person's account", "personal", "anna"] { #expect(page.contains(word), "\(page)") }
            let told = try await road.query(["UDID", "SerialNumber", "HostName", "LocalHostName", "OSVersion"])
            #expect(told.keys.sorted() == ["OSVersion"])
            try await road.expectNothingOf(serial)

            let elsewhere = ["--directory", road.home.appending(path: "second").path]
            let used = try await road.enrolByAccount("anna@example.org", password: password, elsewhere)
            #expect(used.status == 1 && used.text.contains("sign-in was refused"), "\(used.text)")
            let audit = try await road.martlet("audit", "list", "--json")
            for action in ["person.invite", "person.sign-in", "device.enroll"] { #expect(audit.contains(action)) }
            #expect(!audit.contains(password))

            // It is the person's device: it leaves, and another enrollment has nothing in common with this one.
            let mark = app.mark
            let left = try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory])
            #expect(left.status == 0, "\(left.text)")
            _ = try await app.line(after: mark, "no configuration") { $0 == "nil" }
            let next = try await road.invite("anna")
            let anew = try await road.enrolByAccount(
                "anna@example.org", password: next, ["--directory", road.agentDirectory])
            #expect(anew.status == 0 && !anew.text.contains(road.udid), "\(anew.text)")
        }
    }

    /// D13: a sign-in that was ended costs the person a password and the device nothing; what was changed meanwhile comes
    /// with the next one.
    @Test func whoIsSignedOutSignsInAgainAndTheAppGoesOn() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            let secrets = try await SecretsAppOnRoad.installed(on: road)
            try await road.setPassword("vpn", "kept")
            try await secrets.give("vpn", as: "login")
            try await road.martlet("person", "set", "anna", "--email", "anna@example.org")
            try await road.martlet("person", "set", "ben", "--email", "ben@example.org")
            let here = ["--directory", road.agentDirectory]
            let enrolled = try await road.enrolByAccount(
                "anna@example.org", password: try await road.invite("anna"), here)
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent()
            let app = try echo.open("any")
            _ = try await app.line(containing: #"value {"a":1}"#)
            let holder = try RoadApp(road: road, identifier: "com.example.secrets").open("follow")
            try await holder.says("password", ["login=\(sum("kept"))"])
            #expect(try await road.deviceShown().contains("since "))

            try await road.martlet("device", "sign-out", road.udid)
            try await road.agentSays("needed again: martlet-agent enroll --account")
            #expect(try await road.deviceShown().contains("the person has to sign in again"))
            // The server has another value, and another secret; the device keeps what it had, for new processes, too.
            let mark = app.mark
            try await echo.configure(dictionary: "<key>a</key><integer>2</integer>")
            try await road.setPassword("vpn", "new")
            let second = try echo.open("any")
            _ = try await second.line(containing: #"value {"a":1}"#)
            let asks = try RoadApp(road: road, identifier: "com.example.secrets").open("ask", "password", "login")
            _ = try await asks.line(containing: "password login=\(sum("kept"))")
            #expect(!app.output.dropFirst(mark).contains { $0.text.hasPrefix("value") || $0.text == "nil" })

            // Neither nobody nor somebody else signs in for her, and the agent may start anew meanwhile.
            let wrong = try await road.enrolByAccount("anna@example.org", password: "wrong", here)
            #expect(wrong.status == 1 && wrong.text.contains("sign-in was refused"), "\(wrong.text)")
            let other = try await road.enrolByAccount(
                "ben@example.org", password: try await road.invite("ben"), here)
            #expect(other.status == 1 && other.text.contains("enrolled already"), "\(other.text)")
            try await road.stop(road.agent)
            try await road.startAgent()
            try await road.agentSays("needed again")
            let again = try await road.enrolByAccount(
                "anna@example.org", password: try await road.invite("anna"), here)
            #expect(again.status == 0 && again.text.hasSuffix("enrolled as \(road.udid)"), "\(again.text)")
            _ = try await app.line(containing: #"value {"a":2}"#, after: mark)
            try await holder.says("password", ["login=\(sum("new"))"])
            #expect(!app.output.dropFirst(mark).contains { $0.text == "nil" })
            let audit = try await road.martlet("audit", "list", "--json")
            for action in ["device.sign-out", "device.sign-in"] { #expect(audit.contains(action)) }
        }
    }

    /// The same when the operator has sign-ins last for so long and no longer.
    ///
    /// The server learns it only when the app has its configuration, however long that takes.
    @Test func aSignInEndsWithItsTime() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            try await road.martlet("person", "set", "anna", "--email", "anna@example.org")
            let here = ["--directory", road.agentDirectory]
            let enrolled = try await road.enrolByAccount(
                "anna@example.org", password: try await road.invite("anna"), here)
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent()
            let app = try echo.open("any")
            _ = try await app.line(containing: #"value {"a":1}"#)
            try await road.stop(road.server)
            try await road.startServer("--sign-in-lifetime", "60s")
            try await eventually("the person has to sign in again") {
                try await road.deviceShown().contains("the person has to sign in again")
            }
            let mark = app.mark
            try await echo.configure(dictionary: "<key>a</key><integer>2</integer>")
            try await road.agentSays("needed again")
            let again = try await road.enrolByAccount(
                "anna@example.org", password: try await road.invite("anna"), here)
            #expect(again.status == 0, "\(again.text)")
            let next = try await app.line(after: mark, "the new value") {
                $0.hasPrefix("value") || $0 == "nil"
            }
            #expect(next.text == #"value {"a":2}"#)
        }
    }
}

extension Road {
    /// Waits until `martlet-agent status` says something.
    func agentSays(_ words: String) async throws {
        var said = ""
        try await eventually("martlet-agent status says “\(words)”, but \(said)") { () -> Bool in
            said = try await run("martlet-agent", ["status", "--directory", agentDirectory]).text
            return said.contains(words)
        }
    }

    /// Invites a person; answers the password.
    func invite(_ person: String) async throws -> String {
        let answer = try await martlet("person", "invite", person, "--group", "teachers", "--replace", "--json")
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        return try #require(fields["password"] as? String)
    }

    func enrolByAccount(
        _ account: String, password: String, _ options: [String]
    ) async throws -> (status: Int32, text: String) {
        let trust = ["--url", url, "--ca-file", authority]
        return try await run(
            "martlet-agent", ["enroll", "--account", account, "--password-stdin"] + trust + options,
            input: password + "\n")
    }

    /// Asks the device about itself and returns the answer.
    func query(_ names: [String]) async throws -> [String: Any] {
        let (status, text) = try await run(
            "martlet", ["device", "query", udid, "--json", "--wait", Self.longest] + names)
        guard status == 0 else { throw Broken(description: "device query: \(text)") }
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Neither the administrator's API nor the server's own files hold what names this device.
    fileprivate func expectNothingOf(_ serial: String) async throws {
        try await synchronised()
        let status = try await run("martlet-agent", ["status", "--directory", agentDirectory, "--json"])
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any])
        let name = try #require(fields["udid"] as? String)
        var looked = 0
        for file in FileManager.default.enumerator(atPath: serverDirectory)?.allObjects ?? [] {
            guard let file = file as? String,
                let content = try? Data(contentsOf: URL(filePath: serverDirectory).appending(path: file))
            else { continue }
            looked += 1
            for secret in [serial, name] { #expect(content.range(of: Data(secret.utf8)) == nil, "\(file) holds it") }
        }
        #expect(looked > 2)
        let shown = try await martlet("device", "show", udid, "--json")
        let host = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        #expect(!shown.contains("\"\(host)\""), "the administrator sees the host's name")
    }
}
