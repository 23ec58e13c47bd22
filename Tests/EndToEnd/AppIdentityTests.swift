import Foundation
import Testing

/// Apps told apart from impostors: D7, A12, S4-SEC-02.
///
/// Every attack is a real process. Those that take in a server which knows its callers by their path are shown to work
/// on one first.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct AppIdentityTests {
    private static let denied = "org.varlink.service.PermissionDenied"

    @Test func eachAppRunsAsAUserAndInACgroupOfItsOwn() async throws {
        try await Impostors.with { impostors in
            try impostors.install("com.example.other")
            let other = RoadApp(road: impostors.road, identifier: "com.example.other")
            var seen: [KernelStatus] = []
            for app in [impostors.app, other] {
                let line = try await app.open("wait").line(containing: "wait: ")
                let process = try #require(Int32(line.text.split(separator: " ")[1]))
                let status = try KernelStatus(of: process)
                seen.append(status)
                #expect(Set(status.users).count == 1 && status.users[0] >= 1_900_000_000)
                // The first of the app's block, as the list of apps says.
                #expect(status.users[0] % 16 == 0)
                let listed = try await impostors.road.listedApp(app.identifier)?["users"] as? [[String: Any]]
                #expect(listed?.map { $0["first"] as? UInt32 } == [status.users[0]])
                #expect(Set(status.groups) == [status.users[0]])
                #expect(status.hasNoNewPrivileges)
                #expect(status.cgroup.contains("/martlet-apps-"))
                #expect(status.cgroup.hasSuffix("/\(app.identifier)+0@unsigned"))
                let home = impostors.road.agentDirectory + "/app-homes/\(app.identifier)+0@unsigned"
                let attributes = try FileManager.default.attributesOfItem(atPath: home)
                #expect((attributes[.ownerAccountID] as? NSNumber)?.uint32Value == status.users[0])
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            }
            #expect(seen[0].users != seen[1].users)
        }
    }

    /// Said to the person at the terminal, with what to do.
    @Test func anAppThatItsUserCannotComeToIsNotOpened() async throws {
        try await Impostors.with { impostors in
            let apps = impostors.road.home.appending(path: "apps").path
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: apps)
            let refused = try impostors.app.open("ask")
            #expect(try await refused.exit() == 1)
            try await refused.drained()
            #expect(refused.output.contains { $0.text.contains("--app-users shared") }, "\(refused.output)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: apps)
            #expect(try await impostors.app("ask") == Impostors.secret)
        }
    }

    /// What the app starts is the app, on a connection of its own; a descriptor that it left to a child is its own no
    /// more, and what has outlived the app is nothing.
    @Test func whatAnAppStartsIsTheAppWhileThatRuns() async throws {
        try await Impostors.with { impostors in
            #expect(try await impostors.app("ask") == Impostors.secret)
            #expect(try await impostors.app("connect") == Impostors.secret)
            #expect(try await impostors.app("child-connects") == Impostors.secret)
            #expect(try await impostors.app("child-inherits").hasPrefix("hung up"))
            _ = try await impostors.road.agent.line(containing: "a message from another process on an app's connection")
            #expect(try await impostors.app("orphan") == Self.denied)
        }
    }

    @Test func aDescriptorThatAnAppLendsIsOfNoUseToAStranger() async throws {
        try await Impostors.with { impostors in
            let place = impostors.road.home.appending(path: "lent").path
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: impostors.road.home.path)
            let stranger = try impostors.stranger(["borrow", place])
            _ = try await stranger.line(containing: "borrow: listening")
            _ = try impostors.app.open("lend", place)
            let told = try await stranger.line(after: 1, "what it was told") {
                $0.hasPrefix("borrow: ")
            }
            #expect(told.text.hasPrefix("borrow: hung up"))
            #expect(try await impostors.road.refusals("otherSender") == 1)
        }
    }

    /// The stream is the stranger's, the path under its number the trusted program's.
    @Test func whoBecomesTheProgramAfterItConnectedIsRefused() async throws {
        try await Impostors.with { impostors in
            let place = impostors.road.home.appending(path: "naive").path
            let trusted = "/usr/bin/sleep"
            _ = try await impostors.naiveServer(at: place, trusting: trusted)
            let fooled = try impostors.stranger(["exec-after-connect", place, trusted, "600"])
            #expect(try await fooled.line(containing: "exec-after-connect: ").text.hasSuffix(Impostors.secret))

            let refused = try impostors.stranger(["exec-after-connect", impostors.agentSocket, trusted, "600"])
            #expect(try await refused.line(containing: "exec-after-connect: ").text.hasSuffix(Self.denied))
            let asProgram = try impostors.stranger(
                ["exec-after-connect", impostors.agentSocket, impostors.program.path, "wait"])
            #expect(try await asProgram.line(containing: "exec-after-connect: ").text.hasSuffix(Self.denied))
            #expect(try await impostors.road.refusals("stranger") == 2)
        }
    }

    /// The app's program started by somebody else: itself, a copy, a hard link, and through another mount.
    @Test func theProgramWithoutTheAgentIsNobody() async throws {
        try await Impostors.with { impostors in
            let home = impostors.road.home
            let copy = home.appending(path: "copy"), link = home.appending(path: "link")
            try FileManager.default.copyItem(at: impostors.program, to: copy)
            try FileManager.default.linkItem(at: impostors.program, to: link)
            let socket = ["MARTLET_AGENT_SOCKET": impostors.agentSocket]
            for program in [impostors.program, copy, link] {
                let stranger = try impostors.stranger(["run", program.path, "connect"], environment: socket)
                #expect(try await stranger.line(containing: "connect: ").text == "connect: \(Self.denied)")
            }
            let mounted = """
                mount --bind '\(home.path)/apps' /mnt && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
                env MARTLET_AGENT_SOCKET='\(impostors.agentSocket)' /mnt/com.example.victim.app/app connect
                """
            let told = try await impostors.road.shell("unshare -m sh -c \"\(mounted)\"")
            #expect(told.contains("connect: \(Self.denied)"), "\(told)")
        }
    }

    /// An app's user is a number that its agent alone gives away, its cgroup one that root alone opens; in a namespace of his
    /// own somebody may have any number, and is to the kernel who he was.
    @Test func nobodyTakesAnAppsUserOrItsCgroup() async throws {
        try await Impostors.with { impostors in
            let running = try await impostors.app.open("wait").line(containing: "wait: ")
            let status = try KernelStatus(of: try #require(Int32(running.text.split(separator: " ")[1])))
            let cgroup = try #require(try Mounts.cgroups()) + status.cgroup
            #expect(FileManager.default.fileExists(atPath: cgroup + "/cgroup.procs"))
            let thief = try impostors.stranger(["take-user", "\(status.users[0])", cgroup, impostors.agentSocket])
            let told = try await thief.line(containing: "take-user: ").text
            #expect(
                ["take-user: nothing, \(Self.denied)", "take-user: a number of its own, \(Self.denied)"].contains(told))
            #expect(try await impostors.road.refusals("stranger") == 1)
            // The one is nothing without the other.
            let inside = try impostors.stranger(["enter", cgroup, impostors.agentSocket], as: 0)
            #expect(try await inside.line(containing: "enter: ").text == "enter: \(Self.denied)")
            let namesake = try impostors.stranger(["connect", impostors.agentSocket], as: status.users[0])
            #expect(try await namesake.line(containing: "connect: ").text == "connect: \(Self.denied)")
            // Who may shows that each of these is a way.
            let root = try impostors.stranger(
                ["take-user", "\(status.users[0])", cgroup, impostors.agentSocket], as: 0)
            #expect(try await root.line(containing: "take-user: ").text.hasSuffix(Impostors.secret))
        }
    }

    /// Neither somebody else's program nor another app looks into an app, stops it or takes its descriptors.
    @Test func noOtherUserReachesIntoAnApp() async throws {
        try await Impostors.with { impostors in
            try impostors.install("com.example.other")
            let running = try await impostors.app.open("wait").line(containing: "wait: ")
            let process = try #require(Int32(running.text.split(separator: " ")[1]))
            let other = RoadApp(road: impostors.road, identifier: "com.example.other")
            let its = try await other.open("wait").line(containing: "wait: ")
            let user = try KernelStatus(of: try #require(Int32(its.text.split(separator: " ")[1]))).users[0]
            for spy in [65_534, user] {
                let told = try await impostors.stranger(["spy", "\(process)"], as: spy).line(containing: "spy: ")
                #expect(told.text == "spy: nothing")
            }
            // The same by who may shows that the spy can spy.
            let root = try await impostors.stranger(["spy", "\(process)"], as: 0).line(containing: "spy: ")
            #expect(root.text.contains("ptrace") && root.text.contains("mem") && root.text.contains("pidfd_getfd"))
        }
    }
}
