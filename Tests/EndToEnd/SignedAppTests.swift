import Foundation
import Synchronization
import Testing
import Waiting

/// Apps that the agent did not launch, known by their developer's signature: D7, A12.
///
/// Each attack is a real process, and works on a server that knows its callers by the digest of their program.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct SignedAppTests {
    private static let denied = "org.varlink.service.PermissionDenied"
    private static let challenge = "dev.martlet.App.IdentificationNeeded"
    private static let withheld = "dev.martlet.App.SecretsWithheld"
    private static let needsIdentification = "dev.martlet.App.IdentificationNeeded"

    /// It gets its configuration; secrets are for what the agent launched, unless the assignment asks for less.
    @Test func aSignedProgramIsItsAppOnceItHasAnswered() async throws {
        try await SignedApp.with { app in
            let launched = try await app.launched()
            #expect(launched == SignedApp.secret)
            #expect(try await app.elsewhere("unanswered") == Self.challenge)
            #expect(try await app.elsewhere("configured").count == 64)
            #expect(try await app.elsewhere("answered") == Self.withheld)
            #expect(try await app.elsewhere("wrong") == Self.denied)
            #expect(try await app.elsewhere("child-answers").hasPrefix("hung up"))
            #expect(try await app.elsewhere("child-asks").hasPrefix("hung up"))
            #expect(try await app.refusals("withheld") == 1)
            #expect(try await app.refusals("challenge") == 1)
            // Over HTTP it cannot answer; what was launched, and what that starts, need not.
            #expect(try await app.elsewhere("over-http") == "403")
            #expect(try await app.refusals("stranger") == 1)
            #expect(try await app.launched("over-http") == "200 " + SignedApp.secret)
            #expect(try await app.launched("child-over-http") == "200 " + SignedApp.secret)
            #expect(try await app.refusals("otherSender") == 2)
        }
    }

    /// An identified process that becomes another program gets nothing more, neither news nor answers.
    @Test func whoBecomesAnotherProgramIsTheAppNoMore() async throws {
        try await SignedApp.with { app in
            let other = try app.start("becomes-and-asks")
            #expect(try await other.line(containing: "asks-on: ").text.hasPrefix("asks-on: hung up"))
            let cat = try app.start("becomes")
            _ = try await cat.line(containing: "becomes: ")
            let named = RoadApp(road: app.road, identifier: app.identifier)
            try await named.configure(json: #"{"colour": "red"}"#)
            // Its stream ends without a word.
            #expect(try await cat.exit() == 0)
            try await cat.drained()
            #expect(!cat.output.contains { $0.text.contains("configuration") }, "\(cat.output)")
            #expect(try await app.refusals("changed") >= 1)
        }
    }

    /// The stream is the stranger's, the program under its number the app's: by digest that is the app.
    @Test func whoBecomesASignedProgramAfterItConnectedIsRefused() async throws {
        try await SignedApp.with { app in
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program, by: "digest")
            let script = try app.impostors.script("caller.py")
            let attack = { (socket: String) in
                try app.impostors.stranger(
                    ["exec-after-connect", socket, app.program, script, "sleeps"], environment: ["PYTHONHOME": "/usr"])
            }
            let fooled = try await attack(place).line(containing: "exec-after-connect: ")
            #expect(fooled.text.hasSuffix(Impostors.secret))
            // The agent sees the connection only when the program is there.
            try app.road.agent.freeze()
            let refused = try attack(app.impostors.agentSocket)
            _ = try await refused.line(containing: "the program is another")
            try app.road.agent.send(SIGCONT)
            #expect(try await refused.line(containing: "exec-after-connect: ").text.contains("hung up"))
            #expect(try await app.refusals("otherSender") == 1)
        }
    }

    /// The same bytes elsewhere are another program: what lies beside it would be loaded.
    @Test func aCopyALinkAndAnotherMountAreNotTheApp() async throws {
        try await SignedApp.with { app in
            let home = app.road.home
            let copy = home.appending(path: "renamed").path, link = home.appending(path: "app").path
            try FileManager.default.copyItem(atPath: app.program, toPath: copy)
            try FileManager.default.linkItem(atPath: app.program, toPath: link)
            let place = home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program, by: "digest")
            for program in [copy, link] {
                let fooled = try await app.elsewhere(
                    "unanswered", program: program, environment: ["MARTLET_AGENT_SOCKET": place])
                #expect(fooled == Impostors.secret)
                #expect(try await app.elsewhere("unanswered", program: program) == Self.denied)
            }
            let script = try app.impostors.script("caller.py")
            let mounted = """
                mount --bind '\(app.directory.path)' /mnt && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
                env PYTHONHOME=/usr MARTLET_AGENT_SOCKET='\(app.impostors.agentSocket)' /mnt/app '\(script)' unanswered
                """
            let told = try await app.road.shell("unshare -m sh -c \"\(mounted)\"")
            #expect(told.contains("unanswered: \(Self.denied)"), "\(told)")
            #expect(try await app.refusals("stranger") == 3)
        }
    }

    /// One byte, one file more, or one that others may write to: it is neither launched nor known.
    ///
    /// A server that knows its path is told by none of these.
    @Test func anAppWhoseFilesWereTamperedWithIsNotTheApp() async throws {
        try await SignedApp.with { app in
            #expect(try await app.launched() == SignedApp.secret)
            #expect(try await app.exec("tool") == "tool: blue ./secrets/password/account")
            #expect(try await app.exec("/usr/bin/env").contains("no program of the app's"))
            let information = app.directory.appending(path: "Info.plist")
            let library = app.directory.appending(path: "libc.so.6")
            let before = try Data(contentsOf: information)
            let program = URL(filePath: app.program)
            let size = UInt64(try Data(contentsOf: program).count)
            let faults: [(break: () throws -> Void, mend: () throws -> Void)] = [
                (
                    { try (before + Data("<!-- -->".utf8)).write(to: information) },
                    { try before.write(to: information) }
                ),
                (
                    { try Self.cut(program, to: size + 1) },
                    { try Self.cut(program, to: size) }
                ),
                ({ try Data().write(to: library) }, { try FileManager.default.removeItem(at: library) }),
                (
                    { try Self.chmod(0o666, information) },
                    { try Self.chmod(0o644, information) }
                ),
            ]
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program)
            for (number, fault) in faults.enumerated() {
                try fault.break()
                let fooled = try await app.elsewhere("unanswered", environment: ["MARTLET_AGENT_SOCKET": place])
                #expect(fooled == Impostors.secret)
                #expect(try await app.launched().contains("not those that its team signed"))
                #expect(try await app.exec("tool").contains("not those that its team signed"))
                #expect(try await app.elsewhere("unanswered") == Self.denied)
                #expect(try await app.refusals("tampered") == 3 * number + 3)
                try fault.mend()
                try Self.chmod(0o644, information)
            }
            #expect(try await app.launched() == SignedApp.secret)
        }
    }

    /// Code that whoever starts the program puts into it is the program; so what was not launched is trusted less, and
    /// into what was launched nobody puts any.
    @Test func codeThatIsLoadedIntoAProgramGetsNoSecret() async throws {
        try await SignedApp.with { app in
            let library = app.road.home.appending(path: "preload.so")
            try FileManager.default.copyItem(at: Road.binary("libPreload.so"), to: library)
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program, by: "digest")
            func preloaded(_ socket: String) async throws -> String {
                let process = try app.start(
                    "sleeps", environment: ["LD_PRELOAD": library.path, "MARTLET_PRELOAD_SOCKET": socket])
                return try await process.line(containing: "preload: ").text
            }
            #expect(try await preloaded(place).contains(Impostors.secret))
            #expect(try await preloaded(app.impostors.agentSocket).contains(Self.withheld))
            #expect(try await app.launched("loaded", environment: ["LD_PRELOAD": library.path]) == "nothing")
            #expect(try await app.launched() == SignedApp.secret)
        }
    }

    /// The number of who connected is now the app's; the stream is still the stranger's.
    @Test func aNumberThatIsUsedAgainIsNobody() async throws {
        try await SignedApp.with { app in
            let place = app.road.home.appending(path: "naive").path
            _ = try await app.impostors.naiveServer(at: place, trusting: app.program, by: "digest")
            let script = try app.impostors.script("caller.py")
            let attack = { (socket: String) in
                try app.impostors.stranger(
                    ["reuse-number", socket, app.program, script, "sleeps"], as: 0, environment: ["PYTHONHOME": "/usr"])
            }
            let fooled = try await attack(place).line(containing: "reuse-number: ")
            #expect(fooled.text.hasSuffix(Impostors.secret))
            try app.road.agent.freeze()
            let refused = try attack(app.impostors.agentSocket)
            _ = try await refused.line(containing: "the number is taken")
            try app.road.agent.send(SIGCONT)
            let told = try await refused.line(containing: "reuse-number: ")
            #expect(told.text.contains("hung up") || told.text.hasSuffix(Self.denied), "\(told)")
        }
    }

    /// Another team's app of the same identifier gets what an app gets that nobody manages.
    @Test func anAppThatBorrowsAnIdentifierIsNotTheOneThatIsMeant() async throws {
        try await SignedApp.with { app in
            let meant = SignedApp(impostors: app.impostors, identifier: "com.example.meant")
            try await meant.install(team: "OTHER23456")
            try await app.road.martlet("app", "create", meant.identifier, "--name", "Meant", "--team", "TEAM123456")
            try await app.road.martlet("assign", "teachers", meant.identifier)
            try await app.road.give("launched", to: meant.identifier, as: "account")
            try await app.road.synchronised()
            #expect(try await meant.launched() == "dev.martlet.App.InvalidIdentifier")
            #expect(try await meant.launched("over-http") == "404")
            #expect(try await meant.exec("tool") == "tool: nothing")
            #expect(try await app.refusals("otherTeam") == 3)
            #expect(try await app.road.deviceShown().contains("Error.InvalidCodeSignature"))
            // Anybody can write a team's name into a certificate of his own.
            try FileManager.default.removeItem(at: meant.directory)
            try await meant.install(isKnown: false)
            #expect(try await meant.launched() == "dev.martlet.App.InvalidIdentifier")
            #expect(try await meant.elsewhere("unanswered") == Self.denied)
            #expect(try await app.refusals("otherTeam") == 4)
            try FileManager.default.removeItem(at: meant.directory)
            try app.impostors.install(meant.identifier)
            let unsigned = RoadApp(road: app.road, identifier: meant.identifier)
            let told = try await unsigned.open("ask").line(containing: "ask: ")
            #expect(told.text == "ask: dev.martlet.App.InvalidIdentifier")
            try FileManager.default.removeItem(at: meant.directory)
            try await meant.install()
            try await app.road.synchronised()
            #expect(try await meant.launched() == SignedApp.secret)
            #expect(try await meant.exec("tool") == "tool: nothing ./secrets/password/account")
        }
    }

    /// B4: it was there first, and its child is there still when the genuine app runs.
    @Test func whatASquatterLeftBehindIsNotTheGenuineApp() async throws {
        try await SignedApp.with { app in
            let meant = SignedApp(impostors: app.impostors, identifier: "com.example.meant")
            let squatter = RoadApp(road: app.road, identifier: meant.identifier)
            try app.impostors.install(meant.identifier)
            let early = try squatter.open("squat")
            let child = try await early.line(containing: "squat: begun ").text.split(separator: " ")[2]
            try await app.road.martlet("app", "create", meant.identifier, "--name", "Meant", "--team", "TEAM123456")
            try await app.road.martlet("assign", "teachers", meant.identifier)
            try await app.road.give("launched", to: meant.identifier, as: "account")
            try await app.road.synchronised()
            // Now another is meant: it ends, with all that it started.
            #expect(try await early.exit() == 128 + SIGKILL)
            try await eventually("its child is gone") { !FileManager.default.fileExists(atPath: "/proc/\(child)") }
            let late = try squatter.open("squat")
            _ = try await late.line(containing: "squat: 1 dev.martlet.App.InvalidIdentifier")
            try FileManager.default.removeItem(at: meant.directory)
            try await meant.install()
            try await app.road.synchronised()
            let genuine = try meant.launch("tells-number")
            _ = try await genuine.line(containing: "tells-number: ")
            #expect(try await meant.launched() == SignedApp.secret)
            // The agent sees that the genuine app came, and ends what was launched in its place.
            #expect(try await late.exit() == 128 + SIGKILL)
            let told = Set(late.output.map { $0.text.split(separator: " ").dropFirst(2).joined(separator: " ") })
            #expect(told.subtracting(["dev.martlet.App.InvalidIdentifier"]).allSatisfy { Int($0) != nil }, "\(told)")
        }
    }

    /// As what was launched does: it goes on with its version until it ends, and hears of its removal.
    @Test func whatWasNotLaunchedKeepsTheVersionThatItRuns() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            let impostors = Impostors(road: road, app: developer.viewer)
            let app = SignedApp(impostors: impostors, identifier: Developer.app)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.0", program: SignedApp.python)
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.0")
            let old = try app.start("follows", program: try road.managedProgram())
            let autumn = try await old.line(containing: "follows: ").text
            try await developer.publish("2.0", program: SignedApp.python)
            try await road.appIsManaged(version: "2.0")
            try await developer.configure("Winter")
            let winter = try await old.line("told of the winter") {
                $0.hasPrefix("follows: ") && $0 != autumn
            }
            for told in [autumn, winter.text] {
                let words = told.split(separator: " ")
                #expect(words.count == 3 && words[1].count == 64 && words[1] == words[2], "\(told)")
            }
            #expect(try road.managedApps().count == 2)
            old.send(SIGKILL)
            try await eventually("the old version is gone") { try road.managedApps().count == 1 }
            let new = try app.start("follows", program: try road.managedProgram())
            _ = try await new.line(containing: "follows: ")
            try await road.martlet("unassign", "teachers", Developer.app)
            _ = try await new.line(containing: "follows: hung up")
            try await eventually("nothing of it is left") { try road.managedApps().isEmpty }
            #expect(try await app.refusals("changed") == 0)
        }
    }

    /// Linux 6.1 does not say who is behind a socket: what connects there is trusted less, what is launched as much.
    @Test func aKernelThatSaysLessIsTrustedLess() async throws {
        try await SignedApp.with { app in
            try await app.road.stop(try app.road.agent)
            try await app.road.startAgent(through: "/usr/bin/python3", try app.impostors.script("old_kernel.py"))
            let agent = try app.road.agent
            #expect(try await app.launched() == SignedApp.secret)
            // What connects is asked who it is before it has a secret, also what was launched.
            #expect(try await app.launched("launched-connects") == Self.needsIdentification)
            #expect(try await app.launched("answered") == SignedApp.secret)
            #expect(try await app.launched("child-answers").hasPrefix("hung up"))
            #expect(try await app.launched("wrong") == "org.varlink.service.PermissionDenied")
            #expect(try await app.impostors.app("child-connects") == Self.needsIdentification)
            #expect(try await app.elsewhere("configured").count == 64)
            #expect(try await app.elsewhere("child-answers").hasPrefix("hung up"))
            let script = try app.impostors.script("caller.py")
            try agent.freeze()
            let attack = try app.impostors.stranger(
                ["reuse-number", app.impostors.agentSocket, app.program, script, "sleeps"], as: 0,
                environment: ["PYTHONHOME": "/usr"])
            _ = try await attack.line(containing: "the number is taken")
            agent.send(SIGCONT)
            let told = try await attack.line(containing: "reuse-number: ")
            #expect(told.text.contains("hung up"), "\(told)")
        }
    }

    private static func cut(_ file: URL, to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: size)
    }

    private static func chmod(_ mode: Int, _ file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
}
