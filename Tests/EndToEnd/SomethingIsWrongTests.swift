import CertificateAuthority
import Foundation
import GuideBlocks
import Testing
import Waiting

/// The page "Something is wrong" is enough for an operator who finds a fault, down to the server that works again.
///
/// Each test makes the fault, runs the page's command, finds the page's words, and does what the page says. The lost
/// master key is in `LostMasterKeyTests`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct SomethingIsWrongTests {
    /// Each block of the page that names this file is walked by a test below.
    @Test func eachOutputOfThePageHasItsSituationHere() throws {
        let commands = try Self.blocks().filter { $0.note("done by") == "Tests/EndToEnd/SomethingIsWrongTests.swift" }
            .flatMap(\.commands).map(\.command)
        let (check, run) = ("martlet-server check", "martlet-server run")
        #expect(commands.sorted() == ["martlet health", "martlet health", check, run, run, run])
    }

    @Test(.enabled(if: geteuid() == 0, "only root mounts a disk"))
    func aFullDisk() async throws {
        try await Road.with { road in
            try await RoadDisk.small.holding(road) {
                try await RoadDisk.fill(road)
                let page = try Self.shown("martlet configuration set \(Road.app) default --file configuration.plist")
                // The log of the database may have room for one of them.
                let printed = try await eventually("a change is refused") { () -> String? in
                    let result = try await Self.setLargeConfiguration(page.command, road)
                    return result.status == 0 ? nil : result.text
                }
                Self.expect(page.promised, in: printed)
                let health = try await road.martlet("health")
                let reason = try #require(health.firstMatch(of: /ready +no: (.+)/)?.1)
                #expect(try Self.text().contains("| `\(reason)` | less than 17 MB are free, or "), "\(health)")

                try FileManager.default.removeItem(atPath: road.serverDirectory + "/old-backup")
                let after = try await Self.setLargeConfiguration(page.command, road)
                #expect(after.status == 0, "\(after.text)")
                try await eventually("it is ready") { try await Self.isReady(road) }
                let said = try road.server.output.map(\.text).filter { $0.contains("the disk of the database is full") }
                #expect(said.contains { $0.contains(".sqlite") && $0.contains("freeBytes") }, "\(said)")
            }
        }
    }

    /// Red where the server said "disk I/O error": SQLite finds no room for the index of its log.
    @Test(.enabled(if: geteuid() == 0, "only root mounts a disk"))
    func aStartOnAFullDisk() async throws {
        try await Road.with { road in
            try await RoadDisk.small.holding(road) {
                try await road.stop(try road.server)
                try await RoadDisk.fill(road)
                let page = try Self.shown("martlet-server run", saying: "is full")
                let refused = try await road.run(
                    "martlet-server", ["run", "--data-directory", road.serverDirectory, "--port", "0"])
                #expect(refused.status == 1)
                Self.expect(page.promised, in: refused.text)

                try FileManager.default.removeItem(atPath: road.serverDirectory + "/old-backup")
                try await road.startServer()
                try await road.martlet("group", "create", "later")
            }
        }
    }

    /// A server that was killed has left its log, so its next start needs no more room: it serves and says what is wrong.
    @Test(.enabled(if: geteuid() == 0, "only root mounts a disk"))
    func aStartOnAFullDiskAfterAKill() async throws {
        try await Road.with { road in
            try await RoadDisk.small.holding(road) {
                try await road.martlet("group", "create", "kept")
                try road.server.killNow()
                try await RoadDisk.fill(road)
                try await road.startServer()
                _ = try await road.server.line(containing: "the disk of the database is full")
                #expect(try await road.martlet("health").contains(/ready +no: the disk of the database is full/))
                #expect(try await road.martlet("group", "list").contains("kept"), "what is there is read")

                try FileManager.default.removeItem(atPath: road.serverDirectory + "/old-backup")
                try await eventually("it is ready") { try await Self.isReady(road) }
                try await road.martlet("group", "create", "later")
            }
        }
    }

    /// Red where a file system that turned read-only was "The server failed": SQLite keeps no error of a failed commit; and
    /// where health knew of it only from the first change on.
    @Test(.enabled(if: geteuid() == 0, "only root mounts a disk"))
    func aReadOnlyDisk() async throws {
        try await Road.with { road in
            try await RoadDisk.failing.holding(road) {
                try await RoadDisk.fail(road)
                let words = try Self.text()
                // Nobody has asked for a change.
                try await eventually("the health has the reason") { () -> Bool in
                    let health = try await road.martlet("health")
                    guard let reason = health.firstMatch(of: /ready +no: (.+)/)?.1 else { return false }
                    return words.contains("| `\(reason)` | the disk refused a write, ")
                }
                let page = try Self.shown("martlet group create later")
                let refused = try await road.run("martlet", ["group", "create", "later"])
                #expect(refused.status != 0)
                Self.expect(page.promised, in: refused.text)
                #expect(try await road.martlet("group", "list").contains("teachers"), "what is there is read")
                let options = try await road.shell("findmnt -no OPTIONS -T server").split(separator: ",")
                let found = options.filter { $0 == "ro" || $0 == "emergency_ro" }
                #expect(!found.isEmpty && found.allSatisfy { words.contains("`\($0)`") }, "\(options)")

                try await road.stop(try road.server)
                let start = try Self.shown("martlet-server run", saying: "cannot be written to")
                let refusedStart = try await road.run(
                    "martlet-server", ["run", "--data-directory", road.serverDirectory, "--port", "0"])
                #expect(refusedStart.status == 1)
                Self.expect(start.promised, in: refusedStart.text)

                try await RoadDisk.repair(road)
                try await road.startServer()
                try await road.martlet("group", "create", "later")
            }
        }
    }

    /// Red where a start printed SQLite's statement, and `check` said only that the database cannot be opened.
    @Test func aDamagedDatabase() async throws {
        try await Road.with { road in
            let backup = road.home.path + "/backup"
            func operate(_ command: String, _ more: [String] = []) async throws -> (status: Int32, text: String) {
                try await road.run("martlet-server", [command, "--data-directory", road.serverDirectory] + more)
            }
            let made = try await operate("backup", [backup])
            #expect(made.status == 0, "\(made.text)")
            try await road.stop(try road.server)
            try await road.shell("rm -f server/martlet.sqlite-wal server/martlet.sqlite-shm")
            try await road.shell("dd if=/dev/zero of=server/martlet.sqlite bs=100 count=1 conv=notrunc 2>/dev/null")
            for command in ["check", "run"] {
                let page = try Self.shown("martlet-server \(command)", saying: "is damaged")
                let refused = try await operate(command, command == "run" ? ["--port", "0"] : [])
                #expect(refused.status == 1)
                Self.expect(page.promised, in: refused.text)
                #expect(refused.text.contains(road.serverDirectory + "/martlet.sqlite"), "\(refused.text)")
            }

            try await road.shell("mv server former")
            let restored = try await operate("restore", [backup])
            #expect(restored.status == 0, "\(restored.text)")
            try await road.shell("cp -a former/master.key server/")
            let checked = try await operate("check")
            #expect(checked.text == "whole")
            try await road.startServer()
            #expect(try await road.martlet("group", "list").contains("teachers"))
        }
    }

    /// Red where `martlet health` said only that the certificate might be another authority's, or for another name.
    @Test func aCertificateThatHasEnded() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let file = road.home.path + "/own.pem"
            try Self.issue(road, to: file, at: Date(timeIntervalSinceNow: -100 * 86_400), days: 90)
            try await road.startServer("--certificate-file", file)
            _ = try await road.server.line(containing: "the server's certificate has ended")
            let page = try Self.shown("martlet health", saying: "has ended, on")
            let refused = try await road.run("martlet", ["health"])
            #expect(refused.status == 6)
            Self.expect(page.promised, in: refused.text)

            try Self.issue(road, to: file, at: Date(), days: 90)
            let mark = try road.server.mark
            try road.server.send(SIGHUP)
            _ = try await road.server.line(containing: "certificate until", after: mark)
            #expect(try await Self.isReady(road))
        }
    }

    /// A server whose clock is set two years ahead while it runs, and one that starts so.
    @Test func aClockThatIsTwoYearsOff() async throws {
        try await Road.with { road in
            let clock = try ShiftedClock(road)
            try await road.stop(try road.server)
            try await road.startServer(environment: clock.environment)
            #expect(try await road.martlet("health").contains(/clock +steady/))
            try clock.set(aheadBy: 2 * 365 * 86_400)
            // The page has it: by that clock sessions have ended, too.
            #expect(try await road.martlet("health", status: 5).contains("martlet login"))
            try await road.martlet("login", "--password-stdin", input: road.password + "\n")
            let stepped = try Self.shown("martlet health", saying: "set forward")
            Self.expect(stepped.promised, in: try await road.martlet("health"))
            try clock.set(aheadBy: 0)
            // So has the one of that time, now that it is over: it would have lived for two years.
            #expect(try await road.martlet("health", status: 5).contains("martlet login"))
            try await road.martlet("login", "--password-stdin", input: road.password + "\n")
            let back = try await road.martlet("health")
            #expect(!back.contains("set forward") && !back.contains("no certificates are issued"), "\(back)")

            try await road.stop(try road.server)
            try clock.set(aheadBy: 2 * 365 * 86_400)
            try await road.startServer(environment: clock.environment)
            let page = try Self.shown("martlet health", saying: "not valid before")
            let refused = try await road.run("martlet", ["health"])
            #expect(refused.status == 6)
            Self.expect(page.promised, in: refused.text)
            try clock.set(aheadBy: 0)
            try await road.stop(try road.server)
            try await road.startServer(environment: clock.environment)
            #expect(try await road.martlet("health").contains(/clock +steady/))
        }
    }

    // MARK: The page

    private static func text() throws -> String {
        let file = Guide.tree.appending(path: "docs/Martlet.docc/SomethingIsWrong.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func blocks() throws -> [GuideBlock] { Guide("SomethingIsWrong", try text()).blocks }

    /// What the page shows below a command; `word` is in it where the page has the command in several situations.
    private static func shown(
        _ command: String, saying word: String = ""
    ) throws -> (command: String, promised: [String]) {
        let found = try blocks().flatMap(\.commands).filter { shown in
            shown.command == command && (word.isEmpty || shown.promised.contains { $0.contains(word) })
        }
        try #require(found.count == 1, "\(command) stands \(found.count) times on the page")
        try #require(!found[0].promised.isEmpty)
        return found[0]
    }

    private static func expect(_ promised: [String], in printed: String) {
        for line in promised { #expect(GuideBlock.says(line, in: printed), "\(line): \(printed)") }
    }

    // MARK: help

    private static func isReady(_ road: Road) async throws -> Bool {
        try await road.martlet("health").contains(/ready +yes/)
    }

    /// Runs the page's command with a file that is larger than what is free in any page of the database.
    private static func setLargeConfiguration(
        _ command: String, _ road: Road
    ) async throws -> (status: Int32, text: String) {
        let name = "configuration.plist"
        let file = road.home.appending(path: name)
        let words = (0..<20_000).map { _ in "\(Int.random(in: 0..<1_000_000))" }.joined(separator: " ")
        try Data("<plist version=\"1.0\"><dict><key>title</key><string>\(words)</string></dict></plist>".utf8)
            .write(to: file)
        let arguments = command.split(separator: " ").dropFirst().map { $0 == name ? file.path : String($0) }
        return try await road.run("martlet", arguments)
    }

    /// Writes a certificate of the server's authority with its key to one file.
    private static func issue(_ road: Road, to file: String, at begin: Date, days: Double) throws {
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: road.serverDirectory + "/" + name, encoding: .utf8)
        }
        let authority = try Authority(certificatePEM: text("ca.pem"), keyPEM: text("ca.key"))
        let issued = try authority.issueServer(
            hostnames: ["localhost", "127.0.0.1"], now: begin, validity: days * 86_400)
        try Data("\(issued.certificatePEM)\n\(issued.keyPEM)\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}
