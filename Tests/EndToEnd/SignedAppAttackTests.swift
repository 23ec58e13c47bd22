import Foundation
import Testing

/// More attacks on apps that the agent did not launch, and what the administrator may allow them: D7, A12.
///
/// Each works first, on a server that is content with less.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct SignedAppAttackTests {
    private static let denied = "org.varlink.service.PermissionDenied"
    private static let withheld = "dev.martlet.App.SecretsWithheld"

    /// Its child is not the process that answered, nor is a stranger that it lends the connection to.
    @Test func aConnectionThatIsLeftOrLentIsOfNoUse() async throws {
        try await SignedApp.with { app in
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program)
            let naive = ["MARTLET_AGENT_SOCKET": place, "MARTLET_NAIVE": "yes"]
            #expect(try await app.elsewhere("child-asks", environment: naive) == Impostors.secret)
            #expect(try await app.elsewhere("child-asks").hasPrefix("hung up"))
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: app.road.home.path)
            for (variables, expected) in [(naive, Impostors.secret), ([:], "hung up")] {
                let lent = app.road.home.appending(path: "lent-\(variables.count)").path
                let stranger = try app.impostors.stranger(["borrow", lent], as: 65_533)
                _ = try await stranger.line(containing: "borrow: listening")
                _ = try app.start("lends", [lent], environment: variables)
                let told = try await stranger.line(after: 1, "what it was told") {
                    $0.hasPrefix("borrow: ")
                }
                #expect(told.text.hasPrefix("borrow: " + expected))
            }
            #expect(try await app.refusals("otherSender") == 2)
        }
    }

    /// B8: in a user and a process namespace of one's own the kernel lets a process name another as a message's sender.
    ///
    /// It is the program that was signed, and somebody else's words: who is in such a namespace is nobody here.
    @Test func aSenderThatAnotherCanNameIsNotTheApp() async throws {
        try await SignedApp.with { app in
            try await app.road.martlet(
                "assign", "teachers", app.identifier, "--configuration", "default", "--lowest-trust", "verified")
            try await app.road.synchronised()
            let script = try app.impostors.script("caller.py")
            let agent = try app.road.agent
            // It has become the program before the agent looks.
            try agent.freeze()
            let attack = try app.impostors.stranger(
                ["forge", app.impostors.agentSocket, app.program, script, "sleeps"],
                environment: ["PYTHONHOME": "/usr"])
            let begun = try await attack.line("what came of it") {
                $0.contains("the program is another") || $0.hasPrefix("forge: ")
            }
            agent.send(SIGCONT)
            try #require(begun.text == "the program is another", "\(begun.text)")
            let told = try await attack.line(containing: "forge: ")
            #expect(["forge: " + Self.denied, "forge: hung up"].contains { told.text.hasPrefix($0) }, "\(told.text)")
            #expect(try await app.refusals("stranger") == 1)
            #expect(try await app.elsewhere("answered") == SignedApp.secret)
        }
    }

    /// In a mount namespace of one's own any file lies anywhere, by its path; by its inode it does not.
    @Test func aFileMountedOverTheProgramIsNotTheApp() async throws {
        try await SignedApp.with { app in
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program)
            let other = app.road.home.appending(path: "other")
            try FileManager.default.copyItem(at: SignedApp.python, to: other)
            let script = try app.impostors.script("caller.py")
            for (socket, told) in [(place, Impostors.secret), (app.impostors.agentSocket, Self.denied)] {
                let mounted = """
                    mount --bind '\(other.path)' '\(app.program)' && exec setpriv --reuid=65534 --regid=65534 \
                    --clear-groups env PYTHONHOME=/usr MARTLET_AGENT_SOCKET='\(socket)' '\(app.program)' \
                    '\(script)' unanswered
                    """
                let said = try await app.road.shell("unshare -m sh -c \"\(mounted)\"")
                #expect(said.contains("unanswered: \(told)"), "\(said)")
            }
            #expect(try await app.refusals("stranger") == 1)
        }
    }

    /// What a program says of itself says nothing.
    @Test func aProgramThatClaimsTheIdentifierIsNotTheApp() async throws {
        try await SignedApp.with { app in
            let claimed = app.road.home.appending(path: "Claimed.app")
            try FileManager.default.copyItem(at: app.directory, to: claimed)
            let program = claimed.appending(path: "app").path
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program, by: "name")
            let naive = ["MARTLET_AGENT_SOCKET": place]
            #expect(try await app.elsewhere("unanswered", program: program, environment: naive) == Impostors.secret)
            #expect(try await app.elsewhere("unanswered", program: program) == Self.denied)
            #expect(try await app.refusals("stranger") == 1)
        }
    }

    /// The user who started it may look into it, as into any program of his: that is why it is trusted less.
    ///
    /// Others may not.
    @Test func whoStartedAProgramMayLookIntoItAndNobodyElse() async throws {
        try await SignedApp.with { app in
            let running = try app.start("tells-number")
            let number = try await running.line(containing: "tells-number: ").text.dropFirst("tells-number: ".count)
            let others = try app.impostors.stranger(["spy", String(number)], as: 65_533)
            #expect(try await others.line(containing: "spy: ").text == "spy: nothing")
            let own = try await app.impostors.stranger(["spy", String(number)]).line(containing: "spy: ")
            #expect(own.text.contains("ptrace") && own.text.contains("mem"))
            #expect(try await app.elsewhere("answered") == Self.withheld)
        }
    }

    /// S4-SEC-02: which trust secrets need is the administrator's to say, and launched if nothing is said.
    @Test func secretsReachAnAppThatIsTrustedAsFarAsItsAssignmentAsks() async throws {
        try await SignedApp.with { app in
            #expect(try await app.elsewhere("answered") == Self.withheld)
            for trust in ["verified", "shared"] {
                try await app.road.martlet(
                    "assign", "teachers", app.identifier, "--configuration", "default", "--lowest-trust", trust)
                try await app.road.synchronised()
                #expect(try await app.elsewhere("answered") == SignedApp.secret)
                // Still nothing before it has answered, and nothing for what is not the app.
                #expect(try await app.elsewhere("unanswered") == "dev.martlet.App.IdentificationNeeded")
                #expect(try await app.elsewhere("child-asks").hasPrefix("hung up"))
            }
            try await app.road.martlet("assign", "teachers", app.identifier, "--no-lowest-trust")
            try await app.road.synchronised()
            #expect(try await app.elsewhere("answered") == Self.withheld)
            #expect(try await app.launched() == SignedApp.secret)
        }
    }
}
