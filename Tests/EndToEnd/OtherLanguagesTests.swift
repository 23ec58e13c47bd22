import Foundation
import Synchronization
import Testing
import Waiting

/// Apps that were not written in Swift, on the road: D8.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct OtherLanguagesTests {
    /// Configuration and secret are there before the first line of the app runs, and what changes is seen without a
    /// restart; what is taken away is gone.
    @Test func aPythonAppReadsItsConfigurationAndItsSecretFromFiles() async throws {
        try await Road.with { road in
            let board = try await example("Python", "noticeboard.py", "com.example.noticeboard", on: road)
            try await board.configure(dictionary: "<key>title</key><string>Staff room</string>")
            try await board.assign()
            try await road.enroll()
            try await road.setPassword("account", "known-to-few-people")
            try await road.give("account", to: board.identifier, as: "news-account")
            try await road.synchronised()
            let app = try board.open()
            let first = try await app.line(after: 0, "a board") { !$0.isEmpty }
            #expect(first.text == "Staff room: signed in")
            // There is no decoder that could be asked.
            let file = road.home.appending(path: "candidate.json")
            try Data("{}".utf8).write(to: file)
            let tried = try await road.run(
                "martlet",
                ["configuration", "try", board.identifier, road.udid, "--file", file.path, "--timeout", Road.longest])
            #expect(tried.status == 1 && tried.text.contains("the app cannot try configurations"), "\(tried)")

            try await board.configure(dictionary: "<key>title</key><string>Canteen</string>")
            _ = try await app.line(containing: "Canteen: signed in", after: first.index)
            try await road.withdraw("news-account", from: board.identifier)
            _ = try await app.line(containing: "Canteen: not signed in", after: first.index)
            try await road.stop(app)
        }
    }

    /// Configuration in variables, the secret in a file alone.
    @Test func aShellScriptHasItsConfigurationInVariables() async throws {
        try await Road.with { road in
            let backup = try await example("Shell", "backup.sh", "com.example.backup", on: road)
            try await backup.configure(json: #"{"server": {"host": "store.example", "port": 2022}}"#)
            try await backup.assign()
            try await road.enroll()
            try await road.synchronised()
            let before = try await exec(backup, ["backup.sh"])
            #expect(before.status == 1 && before.text.contains("no password for store.example:2022"), "\(before)")

            try await road.setPassword("backup", "known-to-few-people")
            try await road.give("backup", to: backup.identifier, as: "backup")
            try await road.synchronised()
            let after = try await exec(backup, ["backup.sh"])
            #expect(after.status == 0 && after.text.contains("to store.example:2022 with a password of 19 letters"))
            try link("/usr/bin/env", into: backup)
            // D7: what leads out of the app is not the app's program.
            for outside in ["/usr/bin/env", "env"] {
                let refused = try await exec(backup, [outside])
                #expect(refused.status == 1 && refused.text.contains("no program of the app's"), "\(refused)")
            }
            // Red where no answer named the program.
            let absent = try await exec(backup, ["nothere"])
            #expect(absent.text.contains("nothere is no program of the app's"), "\(absent)")
            let nowhere = try await exec(backup, ["/nowhere/tool"])
            let sentence = "the program /nowhere/tool cannot be started: there is no such file"
            #expect(nowhere.text.contains(sentence), "\(nowhere)")
        }
    }

    /// S4-SEC-02: neither another app nor anybody else of the device.
    @Test func nobodyButTheAppReadsItsFiles() async throws {
        try await Impostors.with { impostors in
            try impostors.install("com.example.other")
            let agent = impostors.road.agentDirectory
            let app = try RunningProcess(
                "open", Road.binary("martlet-agent"),
                ["open", impostors.app.identifier, "--files", "--directory", agent, "--", "wait"],
                environment: Road.environment(impostors.road.home))
            impostors.road.processes.withLock { $0.append(app) }
            let line = try await app.line(containing: "wait: ")
            let process = try #require(Int32(line.text.split(separator: " ")[1]))
            let user = try KernelStatus(of: process).users[0]
            let folder = try #require(
                try FileManager.default.contentsOfDirectory(atPath: agent + "/app-files").first)
            let file = agent + "/app-files/\(folder)/secrets/password/account"
            func reads(_ reader: UInt32) async throws -> String {
                let told = """
                    setpriv --reuid=\(reader) --regid=\(reader) --clear-groups \
                    sh -c 'cat "\(file)" 2>&1; echo x >"\(file)"; ls "\(agent)/app-files"; :' 2>&1
                    """
                return try await impostors.road.shell(told)
            }
            let its = try await reads(user)
            #expect(its.hasPrefix(Impostors.secret))
            // It reads, and changes nothing.
            #expect(its.contains("cannot create") && its.contains("cannot open directory"), "\(its)")
            for other in [65_534, user + 1] {
                let told = try await reads(other)
                #expect(!told.contains(Impostors.secret) && told.contains("Permission denied"))
            }
            let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).split(separator: "\n")
            let mount = try #require(mounts.first { $0.contains(agent + "/app-files") })
            #expect(mount.contains("noswap") || mount.contains(" ramfs "))
            try await impostors.road.stop(app)
            try await eventually("its files are gone") {
                !FileManager.default.fileExists(atPath: agent + "/app-files/\(folder)")
            }
        }
    }

    private func example(
        _ folder: String, _ program: String, _ identifier: String, on road: Road
    ) async throws -> RoadApp {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/\(folder)").standardizedFileURL
        let bundle = road.home.appending(path: "apps/\(identifier).app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        for file in ["Info.plist", program] {
            try FileManager.default.copyItem(at: source.appending(path: file), to: bundle.appending(path: file))
        }
        try await road.martlet("app", "create", identifier, "--name", program)
        return RoadApp(road: road, identifier: identifier)
    }

    private func link(_ program: String, into app: RoadApp) throws {
        let link = app.road.home.appending(path: "apps/\(app.identifier).app/env")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: program)
    }

    private func exec(_ app: RoadApp, _ command: [String]) async throws -> (status: Int32, text: String) {
        try await app.road.run(
            "martlet-agent", ["exec", app.identifier, "--directory", app.road.agentDirectory, "--"] + command)
    }
}
