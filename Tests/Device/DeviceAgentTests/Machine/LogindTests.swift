import DeviceAgent
import Foundation
import Testing

/// How systemd-logind is asked: by a program that is ended when it takes too long, and never by this machine's own here.
@Suite(.timeLimit(.minutes(10)))
struct LogindTests {
    /// A program in busctl's place; its arguments, each on its line, are in a file afterwards.
    private struct Busctl {
        let directory: URL
        var path: String { directory.appending(path: "busctl").path }
        /// On a busy machine a program takes its time.
        var logind: Logind { Logind(program: path, patience: 300) }

        init(_ body: String) throws {
            directory = try Fixture.directory()
            let text = "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(directory.path)/arguments'\n\(body)\n"
            // Written by another process: what a test beside this one starts meanwhile holds none of this one's files open,
            // and a program that is open for writing cannot be started (ETXTBSY).
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/sh")
            writer.arguments = ["-c", #"printf '%s' "$1" >"$2" && chmod 755 "$2""#, "sh", text, path]
            try writer.run()
            writer.waitUntilExit()
            try #require(writer.terminationStatus == 0)
        }

        func arguments() throws -> [Substring] {
            try String(contentsOf: directory.appending(path: "arguments"), encoding: .utf8).split(separator: "\n")
        }

        func remove() { try? FileManager.default.removeItem(at: directory) }
    }

    @Test(arguments: ["no", "challenge", "na", "perhaps"])
    func onlyYesIsYes(_ answer: String) throws {
        let yes = try Busctl("echo 's \"yes\"'")
        let other = try Busctl("echo 's \"\(answer)\"'")
        defer {
            yes.remove()
            other.remove()
        }
        #expect(yes.logind.obstacle(to: .restart) == nil)
        #expect(other.logind.obstacle(to: .restart)?.contains("systemd-logind") == true)
        #expect(Logind.obstacle(in: "") != nil)
    }

    @Test(arguments: [
        (MachineAction.restart, "CanReboot", "Reboot"), (MachineAction.shutDown, "CanPowerOff", "PowerOff"),
    ])
    func eachActionHasItsMethodsAndNobodyIsAskedForAPassword(
        _ action: MachineAction, question: String, method: String
    ) throws {
        let busctl = try Busctl("echo 's \"yes\"'")
        defer { busctl.remove() }
        let logind = busctl.logind
        _ = logind.obstacle(to: action)
        #expect(try busctl.arguments().last == question[...])
        try logind.perform(action)
        let arguments = try busctl.arguments()
        #expect(Array(arguments.suffix(3)) == [method[...], "b", "false"])
        #expect(arguments.contains("--allow-interactive-authorization=no") && arguments.first == "--system")
    }

    @Test func whereThereIsNoLogindNothingCanBeDone() throws {
        let failing = try Busctl("exit 1")
        let slow = try Busctl("exec sleep 600")
        defer {
            failing.remove()
            slow.remove()
        }
        let missing = Logind(program: failing.directory.path + "/none")
        for logind in [failing.logind, Logind(program: slow.path, patience: 0.2), missing] {
            #expect(logind.obstacle(to: .restart) != nil)
            #expect(throws: Logind.Failure.self) { try logind.perform(.restart) }
        }
    }

    @Test func aBootHasANumber() throws {
        let boot = try Logind().boot()
        #expect(try Logind().boot() == boot)
        #expect(throws: (any Error).self) { try Logind(bootFile: "/dev/null").boot() }
        #expect(throws: (any Error).self) { try Logind(initFile: "/dev/null").boot() }
    }

    /// A restarted container is in another boot even if its host is not: otherwise the agent would restart it again.
    @Test func anotherFirstProcessIsAnotherBoot() throws {
        let directory = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        func boot(_ name: String, startedAt ticks: Int) throws -> String {
            let file = directory.appending(path: "stat")
            let between = Array(repeating: "0", count: 18).joined(separator: " ")
            try Data("1 (\(name)) S \(between) \(ticks) 9 9\n".utf8).write(to: file)
            return try Logind(initFile: file.path).boot()
        }
        let first = try boot("systemd", startedAt: 12)
        #expect(try boot("systemd", startedAt: 12) == first)
        #expect(try boot("a) S 7 (b", startedAt: 12) == first)
        #expect(try boot("systemd", startedAt: 4_711) != first)
    }
}
