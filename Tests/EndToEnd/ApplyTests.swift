import Foundation
import Testing
import Waiting

/// `martlet apply` and `martlet export` against a real server.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(15)))
struct ApplyTests {
    private static let empty =
        #"{"format": 1, "manages": ["apps", "groups", "secrets", "settings", "teams", "expected-devices"]}"#

    /// Whatever the directory says: the plan is what is done and nothing else, then nothing is left to do; what is
    /// exported makes an empty server the same, to the byte.
    @Test func anyDirectoryIsMadeSoByItsPlanAlone() async throws {
        let first = ProcessInfo.processInfo.environment["MARTLET_APPLY_SEED"].flatMap(UInt64.init) ?? 0
        let count = ProcessInfo.processInfo.environment["MARTLET_APPLY_SEEDS"].flatMap(UInt64.init) ?? 3
        try await Road.with { road in
            let nothing = try Self.directory(road, "nothing", ["martlet.json": Self.empty])
            for seed in first..<first + count {
                let wished = road.home.appending(path: "wished-\(seed)")
                try RandomFleet.write(seed, to: wished)
                let planned = try await Self.steps(
                    Self.apply(road, wished, "--prune", "--dry-run", "--json", status: nil).text, done: false)
                let before = try await Self.audit(road).count
                let done = try await Self.steps(Self.apply(road, wished, "--prune", "--yes", "--json").text, done: true)
                #expect(done == planned, "seed \(seed)")
                let entries = try await Self.audit(road).dropFirst(before)
                #expect(Array(entries) == done.map(\.audited), "seed \(seed)")
                let again = try await Self.apply(road, wished, "--prune", "--dry-run")
                #expect(again.text.contains("Nothing to do"), "seed \(seed): \(again.text)")

                let exported = try await Self.export(road, "exported-\(seed)")
                try await Self.apply(road, nothing, "--prune", "--yes")
                #expect(try await road.martlet("group", "list").contains("No groups yet"))
                try await Self.apply(road, exported, "--yes")
                let second = try await Self.export(road, "exported-again-\(seed)")
                let (left, right) = try (Self.files(exported), Self.files(second))
                #expect(left.keys.sorted() == right.keys.sorted(), "seed \(seed)")
                for (path, bytes) in left { #expect(bytes == right[path], "seed \(seed): \(path)") }
                for (path, bytes) in left {
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(!RandomFleet.values.values.contains { text.contains($0) }, "\(path)")
                }
            }
        }
    }

    /// What somebody else changed after the plan was made is left as they made it, and the run stops and says so.
    @Test func anEditInBetweenStopsTheRunAndIsNotLost() async throws {
        try await Road.with { road in
            let directory = try Self.directoryWithPipe(road)
            try await road.configure("Before")
            let run = try Self.start(road, ["apply", "-f", directory.path, "--yes"])
            let pipe = try await Self.whenItReads(road.home.appending(path: "pipe"))
            try await road.configure("By somebody else")
            try pipe.write(contentsOf: Data("hunter2\n".utf8))
            try pipe.close()
            #expect(try await run.exit() == 4)
            try await run.drained()
            let text = run.output.map(\.text).joined(separator: "\n")
            #expect(text.contains("somebody changed the configuration \(Road.app)/default"), "\(text)")
            #expect(text.contains("1 of 2 changes were made") && !text.contains("hunter2"), "\(text)")
            let shown = try await road.martlet("configuration", "show", Road.app, "default")
            #expect(shown.contains("By somebody else"))
        }
    }

    /// A run that is killed has done part of it; the next one does the rest and nothing twice.
    @Test func anInterruptedRunIsFinishedByRunningAgain() async throws {
        try await Road.with { road in
            let directory = try Self.directoryWithPipe(road, group: true)
            let run = try Self.start(road, ["apply", "-f", directory.path, "--yes"])
            let pipe = try await Self.whenItReads(road.home.appending(path: "pipe"))
            run.killNow()
            try pipe.close()
            #expect(try await road.martlet("group", "list").contains("pupils"), "done before it was killed")
            try Data("hunter2\n".utf8).write(to: road.home.appending(path: "value"))
            try Self.write(["secrets.json": Self.secrets("../value")], to: directory)
            let rest = try await Self.apply(road, directory, "--yes")
            #expect(!rest.text.contains("group pupils") && rest.text.contains("+ secret wifi"), "\(rest.text)")
            #expect(try await Self.apply(road, directory, "--dry-run").text.contains("Nothing to do"))
        }
    }

    /// A dry run changes nothing, ends with 2 where something would change and with 4 where the app would refuse it.
    @Test func aDryRunSaysWhatWouldBeAndWhatAppsWouldRefuse() async throws {
        try await Road.with { road in
            let specification =
                #"{"x-app": {"bundleIdentifier": "\#(Road.app)", "version": "1.0"}, "properties": {"count": {"type": "integer", "maximum": 5}}}"#
            var files = [
                "apps/\(Road.app)/app.json": #"{"name": "Landmarks"}"#,
                "apps/\(Road.app)/configurations/default.json": #"{"count": 4711}"#,
                "apps/\(Road.app)/specification.json": specification,
            ]
            let directory = try Self.directory(road, "fleet", files)
            let refused = try await Self.apply(road, directory, "--dry-run", status: 4)
            #expect(refused.text.contains("error: configuration \(Road.app)/default: count:"), "\(refused.text)")
            #expect(!refused.text.contains("4711"), "\(refused.text)")
            try await Self.apply(road, directory, "--yes", status: 4)
            #expect(try await road.martlet("configuration", "list", Road.app).contains("No configurations"))

            files["apps/\(Road.app)/configurations/default.json"] = #"{"count": 5}"#
            try Self.write(files, to: directory)
            let plan = try await Self.apply(road, directory, "--dry-run", status: 2)
            #expect(plan.text.contains("Plan: 2 to create, 0 to change, 0 to remove, 1 unchanged."), "\(plan.text)")
            try await Self.apply(road, directory, "--yes")

            files["apps/\(Road.app)/configurations/default.json"] = #"{"count": 6}"#
            try Self.write(files, to: directory)
            let byServer = try await Self.apply(road, directory, "--dry-run", status: 4)
            #expect(byServer.text.contains("    ~ count\n") && byServer.text.contains("error: configuration"))
            try await Self.apply(road, directory, "--yes", "--force")
            #expect(try await Self.apply(road, directory, "--dry-run", status: 0).text.contains("Nothing to do"))
        }
    }

    /// A secret is set when it is not there and when its marker is another one; never is its value shown.
    @Test func aSecretIsSetAnewByItsMarkerAlone() async throws {
        try await Road.with { road in
            func version() async throws -> String {
                try await road.martlet("secret", "show", "wifi", "--json").split(separator: "\n")
                    .last { $0.contains("\"version\"") }.map(String.init) ?? ""
            }
            let value = road.home.appending(path: "value")
            try Data("hunter2\n".utf8).write(to: value)
            let directory = try Self.directory(road, "fleet", ["secrets.json": Self.secrets("../value", marker: "1")])
            let created = try await Self.apply(road, directory, "--yes", "--values")
            #expect(created.text.contains("+ secret wifi") && !created.text.contains("hunter2"), "\(created.text)")
            let first = try await version()
            try Data("another\n".utf8).write(to: value)
            #expect(try await Self.apply(road, directory, "--yes").text.contains("Nothing to do"))
            #expect(try await version() == first)
            try Self.write(["secrets.json": Self.secrets("../value", marker: "2")], to: directory)
            let changed = try await Self.apply(road, directory, "--yes")
            #expect(changed.text.contains("~ secret wifi\n    ~ marker: “1” → “2”"), "\(changed.text)")
            #expect(try await version() != first)
            try await road.martlet("secret", "set", "wifi", "--password-stdin", input: "by hand\n")
            let restored = try await Self.apply(road, directory, "--dry-run", status: 2)
            #expect(restored.text.contains("~ secret wifi"), "what was set by hand has no marker")
            try FileManager.default.removeItem(at: value)
            let missing = try await Self.apply(road, directory, "--yes", status: 4)
            #expect(missing.text.contains("is not there") && missing.text.contains("nothing was changed"))
        }
    }

    /// On a terminal it asks; elsewhere it does nothing without being told to.
    @Test func nothingIsDoneWithoutAWord() async throws {
        try await Road.with { road in
            let directory = try Self.directory(road, "fleet", ["groups.json": #"[{"name": "pupils"}]"#])
            let refused = try await Self.apply(road, directory, status: 1)
            #expect(refused.text.contains("+ group pupils") && refused.text.contains("--yes"), "\(refused.text)")
            #expect(refused.text.contains("Not in the directory, and stays (--prune removes it):\n  group teachers"))
            let command = "\(Road.binary("martlet").path) apply -f \(directory.path)"
            for (answer, status) in [("n", 1), ("", 1), ("y", 0)] as [(String, Int32)] {
                let ended = try await road.shell(
                    "printf '\(answer)\\n' | script -qec '\(command)' /dev/null > asked.txt; echo $? > status.txt")
                _ = ended
                let text = try String(contentsOf: road.home.appending(path: "asked.txt"), encoding: .utf8)
                let code = try String(contentsOf: road.home.appending(path: "status.txt"), encoding: .utf8)
                #expect(text.contains("Make this change? [y/N]"), "\(text)")
                #expect(code == "\(status)\n", "\(answer): \(text)")
                #expect(try await road.martlet("group", "list").contains("pupils") == (status == 0))
            }
        }
    }

    /// Teams come back as the certificates they are; an export goes into no directory with something in it.
    @Test func teamsAreExportedAsTheirCertificates() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            let exported = try await Self.export(road, "fleet")
            let teams = try FileManager.default.contentsOfDirectory(atPath: exported.appending(path: "teams").path)
            #expect(teams.count == 1 && teams.allSatisfy { $0.hasSuffix(".pem") })
            #expect(try await Self.apply(road, exported, "--prune", "--dry-run").text.contains("Nothing to do"))
            try FileManager.default.removeItem(at: exported.appending(path: "teams"))
            try await developer.makeTeam("other", identifier: "OTHER12345")
            try FileManager.default.createDirectory(
                at: exported.appending(path: "teams"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: road.home.appending(path: "other.pem"), to: exported.appending(path: "teams/other.pem"))
            let changed = try await Self.apply(road, exported, "--prune", "--yes")
            #expect(changed.text.contains("Plan: 1 to create, 0 to change, 1 to remove"), "\(changed.text)")
            let listed = try await road.martlet("team", "list")
            #expect(listed.contains("OTHER12345") && !listed.contains("TEAM123456"))
            let refused = try await road.run("martlet", ["export", exported.path])
            #expect(refused.status == 4 && refused.text.contains("not empty"))
        }
    }
}

extension ApplyTests {
    private struct Step: Decodable, Equatable {
        let kind: String
        let name: String
        let action: String

        /// The entry of the audit log that is to come of it; a secret's assignment is logged as the secret's.
        var audited: String {
            let (set, remove, isNamed): (String, String, Bool) =
                switch kind {
                case "group": ("group.create", "group.remove", true)
                case "group-rule": ("group.rule.set", "group.rule.remove", true)
                case "team": ("team.add", "team.remove", true)
                case "source": ("app.source.set", "app.source.remove", true)
                case "secret-assignment": ("secret.assign", "secret.unassign", false)
                case "setting-assignment": ("setting.assign", "setting.unassign", true)
                case "expected-device": ("device.expect", "device.unexpect", true)
                default: ("\(kind).set", "\(kind).remove", true)
                }
            return (action == "remove" ? remove : set) + (isNamed ? " \(name)" : "")
        }
    }

    private static func steps(_ text: String, done: Bool) throws -> [Step] {
        struct Report: Decodable {
            struct Marked: Decodable { let isDone: Bool }
            let steps: [Step]
        }
        struct Marks: Decodable { let steps: [Report.Marked] }
        // Warnings stand beside it, on the other stream.
        let lines = text.split(separator: "\n").drop { $0 != "{" }
        let end = try #require(lines.lastIndex(of: "}"), "\(text)")
        let text = lines[...end].joined(separator: "\n")
        #expect(try JSONDecoder().decode(Marks.self, from: Data(text.utf8)).steps.allSatisfy { $0.isDone == done })
        return try JSONDecoder().decode(Report.self, from: Data(text.utf8)).steps
    }

    /// What administrators did, the oldest first.
    private static func audit(_ road: Road) async throws -> [String] {
        let text = try await road.martlet("audit", "list", "--all", "--json")
        let entries = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        return entries.reversed().map { entry in
            let action = entry["action"] as? String ?? ""
            let isNamed = !["secret.assign", "secret.unassign"].contains(action)
            return action + (isNamed ? " \(entry["subject"] as? String ?? "")" : "")
        }
    }

    @discardableResult
    private static func apply(
        _ road: Road, _ directory: URL, _ options: String..., status: Int32? = 0
    ) async throws -> (status: Int32, text: String) {
        let run = try start(road, ["apply", "-f", directory.path] + options)
        let ended = try await run.exit() ?? -1
        try await run.drained()
        let text = run.output.map(\.text).joined(separator: "\n")
        if let status { #expect(ended == status, "apply \(options): \(text)") }
        return (ended, text)
    }

    private static func start(_ road: Road, _ arguments: [String]) throws -> RunningProcess {
        let run = try RunningProcess(
            "martlet", Road.binary("martlet"), arguments,
            environment: Road.environment(road.home).merging(RandomFleet.environment) { $1 })
        road.keep(run)
        return run
    }

    private static func export(_ road: Road, _ name: String) async throws -> URL {
        let directory = road.home.appending(path: name)
        try await road.martlet("export", directory.path)
        return directory
    }

    private static func files(_ root: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            let file = root.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: file)
        }
        return files
    }

    private static func directory(_ road: Road, _ name: String, _ files: [String: String]) throws -> URL {
        let root = road.home.appending(path: name)
        try write(files, to: root)
        return root
    }

    private static func write(_ files: [String: String], to root: URL) throws {
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private static func secrets(_ file: String, marker: String? = nil) -> String {
        let marker = marker.map { #""marker": "\#($0)", "# } ?? ""
        return #"[{"name": "wifi", "kind": "password", \#(marker)"from": {"file": "\#(file)"}}]"#
    }

    /// A directory whose run waits at its secret until somebody writes into a pipe.
    private static func directoryWithPipe(_ road: Road, group: Bool = false) throws -> URL {
        guard unsafe mkfifo(road.home.appending(path: "pipe").path, 0o600) == 0 else {
            throw Road.Broken(description: "no pipe")
        }
        var files = [
            "secrets.json": secrets("../pipe"), "apps/\(Road.app)/app.json": #"{"name": "Landmarks"}"#,
            "apps/\(Road.app)/configurations/default.json":
                #"{"managedCollection": {"title": "By the directory", "landmarks": [1001]}}"#,
        ]
        if group { files["groups.json"] = #"[{"name": "teachers"}, {"name": "pupils"}]"# }
        return try directory(road, "fleet", files)
    }

    /// The pipe, open for writing as soon as somebody reads from it.
    private static func whenItReads(_ pipe: URL) async throws -> FileHandle {
        try await eventually("somebody reads from the pipe") { () -> FileHandle? in
            let descriptor = unsafe open(pipe.path, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0 ? FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) : nil
        }
    }
}
