import Foundation
import Testing

/// Several administrators of one server, each with the command line tool.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct RoleRoadTests {
    /// An administrator has others in, each does what their role allows and is told when it does not; what changes holds
    /// at once; the audit log has it.
    @Test func eachAdministratorDoesWhatTheirRoleAllows() async throws {
        try await Road.with { road in
            try await road.configure("By the administrator")
            try await Self.logIn("anna", ["--role", "reader"], road)
            try await Self.logIn("olga", ["--role", "app-owner", "--app", Road.app, "--group", "teachers"], road)
            let whoAmI = try await Self.run("olga", ["whoami"], road)
            #expect(whoAmI.status == 0 && whoAmI.text.contains("app-owner") && whoAmI.text.contains(Road.app))
            #expect(try await Self.run("anna", ["group", "list"], road).status == 0)
            let refused = try await Self.run("anna", ["group", "create", "others"], road)
            #expect(refused.status == 4 && refused.text.contains("Your role does not allow this"), "\(refused.text)")
            #expect(refused.text.contains("Your role is reader"), "\(refused.text)")

            let file = road.home.appending(path: "by-olga.json")
            try Data(#"{"managedCollection": {"title": "By Olga", "landmarks": [1001]}}"#.utf8).write(to: file)
            let set = ["configuration", "set", Road.app, "default", "--file", file.path]
            #expect(try await Self.run("olga", set, road).status == 0)
            #expect(
                try await Self.run("olga", ["assign", "teachers", Road.app, "--configuration", "default"], road).status
                    == 0)
            try await road.martlet("group", "create", "pupils")
            for command in [
                ["assign", "pupils", Road.app, "--configuration", "default"], ["secret", "list"], ["audit", "list"],
                ["administrator", "list"], ["app", "delete", Road.app],
            ] {
                let refused = try await Self.run("olga", command, road)
                #expect(refused.status == 4, "\(command): \(refused.status) \(refused.text)")
            }

            try await road.martlet("administrator", "set", "olga", "--role", "reader")
            #expect(try await Self.run("olga", set, road).status == 4, "from now on, in the session that is open")
            let last = try await Self.run(nil, ["administrator", "remove", "admin"], road)
            #expect(last.status == 4 && last.text.contains("At least one administrator"), "\(last.text)")
            try await road.martlet("administrator", "remove", "olga")
            #expect(try await Self.run("olga", ["group", "list"], road).status == 5)
            let listed = try await road.martlet("administrator", "list")
            #expect(listed.contains("anna") && listed.contains("reader") && !listed.contains("olga"))
            let log = try await road.martlet("audit", "list", "--actor", "administrator:olga", "--json")
            #expect(log.contains("configuration.set") && log.contains("assignment.set"))
        }
    }

    /// Who logs out everywhere has no session left, wherever they logged in; a reset password ends them, too.
    @Test func sessionsEndEverywhere() async throws {
        try await Road.with { road in
            try await Self.logIn("anna", ["--role", "reader"], road)
            try await Self.logIn("anna", as: "anna-elsewhere", road)
            #expect(try await Self.run("anna", ["logout", "--everywhere"], road).status == 0)
            #expect(try await Self.run("anna-elsewhere", ["group", "list"], road).status == 5)
            // Red where the answer was the API's: `POST /api/v1/session`.
            let dead = try await Self.run("anna-elsewhere", ["whoami"], road)
            #expect(dead.status == 5 && dead.text.contains("martlet login"), "\(dead.text)")
            #expect(!dead.text.contains("POST"), "\(dead.text)")
            // Red where the server had to be named again after a logout.
            let again = try await Self.run("anna", ["login", "--password-stdin"], road, input: "\(Self.password)\n")
            #expect(again.status == 0, "\(again.text)")
            try await Self.logIn("anna", as: "anna-again", road)
            let reset = try await road.martlet("administrator", "reset-password", "anna")
            #expect(reset.contains("one-time password"))
            #expect(try await Self.run("anna-again", ["group", "list"], road).status == 5)
        }
    }

    /// A program works with a token as far as that reaches, and no longer; the log tells it from its administrator.
    @Test func aProgramWorksByAToken() async throws {
        try await Road.with { road in
            try await road.configure("By the administrator")
            try await Self.logIn("olga", ["--role", "app-owner", "--app", Road.app, "--group", "teachers"], road)
            let scope = ["--role", "app-owner", "--app", Road.app, "--group", "teachers"]
            let create = ["token", "create", "releases", "--valid", "30d", "--json"] + scope
            let made = try await Self.run("olga", create, road)
            let answer = try #require(
                try JSONSerialization.jsonObject(with: Data(made.text.utf8)) as? [String: Any], "\(made.text)")
            let token = try #require(answer["token"] as? String)
            let id = try #require((answer["summary"] as? [String: Any])?["id"] as? String)
            let more = ["token", "create", "more", "--role", "administrator", "--valid", "1h"]
            #expect(try await Self.run("olga", more, road).status == 4)

            let login = ["login", "--server", road.url, "--ca-file", road.authority, "--token-stdin"]
            let wrong = try await Self.run("build", login, road, input: "\(token)a\n")
            #expect(wrong.status == 5, "\(wrong.text)")
            let used = try await Self.run("build", login, road, input: "\(token)\n")
            #expect(used.status == 0 && used.text.contains("olga/releases"), "\(used.text)")
            let file = road.home.appending(path: "by-a-program.json")
            try Data(#"{"managedCollection": {"title": "By a program", "landmarks": [1001]}}"#.utf8).write(to: file)
            let set = ["configuration", "set", Road.app, "default", "--file", file.path]
            #expect(try await Self.run("build", set, road).status == 0)
            for command in [more, ["secret", "list"], ["logout", "--everywhere"]] {
                let refused = try await Self.run("build", command, road)
                #expect(refused.status == (command == ["logout", "--everywhere"] ? 0 : 4), "\(command)")
            }
            #expect(try await Self.run("build", login, road, input: "\(token)\n").status == 0, "no session ended")
            let log = try await road.martlet("audit", "list", "--actor", "administrator:olga/releases", "--json")
            #expect(log.contains("configuration.set") && !log.contains(token))
            let listed = try await Self.run("olga", ["token", "list"], road)
            #expect(listed.text.contains("releases") && listed.text.contains("valid") && !listed.text.contains(token))
            #expect(!listed.text.contains("never"), "it was used")
            #expect(try await Self.run("olga", ["token", "revoke", id], road).status == 0)
            #expect(try await Self.run("build", set, road).status == 5)
        }
    }

    // MARK: help

    private static let password = "a password of the tests"

    /// Adds an administrator and logs in as them, with a session file of their own.
    private static func logIn(_ name: String, _ rights: [String], _ road: Road) async throws {
        let text = try await run(nil, ["administrator", "create", name] + rights + ["--json"], road).text
        let made = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        let once = try #require(made["oneTimePassword"] as? String)
        let arguments = ["login", "--server", road.url, "--ca-file", road.authority, "--name", name]
        let logged = try await run(
            name, arguments + ["--password-stdin", "--new-password-stdin"], road, input: "\(once)\n\(password)\n")
        try #require(logged.status == 0, "\(logged.text)")
    }

    /// Logs in as somebody who is there, in another session file.
    private static func logIn(_ name: String, as session: String, _ road: Road) async throws {
        let arguments = ["login", "--server", road.url, "--ca-file", road.authority, "--name", name]
        let logged = try await run(session, arguments + ["--password-stdin"], road, input: "\(password)\n")
        try #require(logged.status == 0, "\(logged.text)")
    }

    /// Runs the tool in somebody's session; in that of the first administrator without a name.
    private static func run(
        _ session: String?, _ arguments: [String], _ road: Road, input: String = ""
    ) async throws -> (status: Int32, text: String) {
        var environment = Road.environment(road.home)
        if let session { environment["MARTLET_SESSION"] = road.home.appending(path: "\(session).json").path }
        let given = Pipe()
        let process = try RunningProcess(
            "martlet", Road.binary("martlet"), arguments, environment: environment, input: given.fileHandleForReading)
        try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try given.fileHandleForWriting.close()
        let status = try await process.exit()
        try await process.drained()
        return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
    }
}
