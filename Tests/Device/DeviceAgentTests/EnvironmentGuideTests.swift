import AppMessages
import Foundation
import Testing

@testable import DeviceAgent

/// S1-ENV-01, M01: what docs/Martlet.docc/Environment.md says an app finds is what the agent gives it.
struct EnvironmentGuideTests {
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: tree.appending(path: path), encoding: .utf8)
    }

    private static func guide() throws -> String { try text("docs/Martlet.docc/Environment.md") }

    /// The rows of the table whose first heading this is.
    private static func rows(_ heading: String) throws -> [[String]] {
        let rows = try guide().components(separatedBy: "\n").drop { !$0.hasPrefix("| \(heading) |") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        try #require(!rows.isEmpty, "there is no table of \(heading)")
        return rows.map { row in
            row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// What stands in backticks in a cell of each row.
    private static func names(_ heading: String, column: Int = 0) throws -> Set<String> {
        Set(try rows(heading).flatMap { quoted($0[column]) })
    }

    private static func quoted(_ text: String) -> [String] {
        text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }

    @Test func everyVariableThatTheAgentSetsIsInTheTable() throws {
        var set = Set(TrustBundle.variables)
        for file in ["AppLauncher", "AppEnvironment"] {
            let source = try Self.text("Sources/Device/DeviceAgent/AppService/\(file).swift")
            for match in source.matches(of: /variables\["([A-Z_]+)"\] = (?!nil)/) { set.insert(String(match.1)) }
            for match in source.matches(of: /hand\([a-z]+, as: "([A-Z_]+)"\)/) { set.insert(String(match.1)) }
        }
        #expect(try Self.names("set") == set)
        #expect(try Self.guide().contains("`\(ConfigurationVariables.usualPrefix)`"))
    }

    @Test func whatAPersonsEnvironmentPassesOnIsInTheTable() throws {
        let passed = try Self.names("passed on").filter { !$0.hasSuffix("…") }
        let others = [
            "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "PYTHONPATH", "BASH_ENV", "HOME", "USER",
        ]
        let numbers: Set = ["COLUMNS", "LINES"]
        let given = Dictionary(
            uniqueKeysWithValues: (Array(passed) + others).map { ($0, numbers.contains($0) ? "80" : "C") })
        let person = geteuid() + 1
        #expect(Set(AppEnvironment.passed(given, by: person).keys) == passed.union(["PATH"]))
        let path = AppEnvironment.passed([:], by: person)["PATH"] ?? ""
        #expect(try Self.guide().contains("`\(path)`"))
        // The table has no fewer than the source.
        let source = try Self.text("Sources/Device/DeviceAgent/AppService/SpokenVariable.swift")
        let known = source.matches(of: /"([A-Z][A-Z_]+)"/).map { String($0.1) }.filter { $0 != "LC_" }
        #expect(Set(known) == passed.filter { !$0.hasPrefix("LC_") })
    }

    @Test func whatIsNeverPassedOnIsInTheTable() throws {
        let names = try Self.names("never passed on")
        #expect(names.isSuperset(of: AppEnvironment.dropped))
        for prefix in AppEnvironment.droppedPrefixes { #expect(names.contains { $0.hasPrefix(prefix) }, "\(prefix)") }
        for name in names { #expect(!AppEnvironment.isAllowed(name), "\(name)") }
    }

    @Test func anIsolatedAppReachesWhatTheTableSays() throws {
        let bundle = AppBundle(
            directory: "/app", identifier: "com.example.a", name: "A", version: "1", shortVersion: "1",
            executable: "/app/a", role: nil)
        let rules = IsolationRules(bundle, home: "/home", folder: "/files").rules
        var reached: [String: Set<String>] = [:]
        for rule in rules where !["/app", "/home", "/files"].contains(rule.path) {
            reached[Self.words(rule.use), default: []].insert(rule.path)
        }
        let rows = try Self.rows("it may")
        let told = rows.map { row in
            (row[0].trimmingCharacters(in: .whitespaces), Set(Self.quoted(row[1]).filter { $0.hasPrefix("/") }))
        }
        #expect(Dictionary(uniqueKeysWithValues: told).filter { !$0.value.isEmpty } == reached)
        for (path, words) in [("/app", "app's directory"), ("/home", "app's home"), ("/files", "`MARTLET_FILES`")] {
            let rule = try #require(rules.first { $0.path == path })
            let row = try #require(rows.first { $0[0].trimmingCharacters(in: .whitespaces) == Self.words(rule.use) })
            #expect(row[1].contains(words))
        }
    }

    private static func words(_ use: IsolationRules.Use) -> String {
        switch use {
        case .run: "read and run"
        case .read: "read"
        case .speak: "read and write"
        case .own: "do anything with"
        }
    }

    @Test func theSocketsAndTheirBoundsAreThose() throws {
        let source = try Self.text("Sources/Device/DeviceAgent/Device/Agent.swift")
        let sockets = source.matches(of: /"\/([a-z-]+\.socket)"/).map { String($0.1) }
        #expect(try Self.names("socket").filter { $0.hasSuffix(".socket") } == Set(sockets))
        let guide = try Self.guide()
        for words in [
            "at most \(AppServiceLoop.connectionsPerApp) connections", "at most \(SignRequest.mostData / 1_024) KiB",
            "at most \(AppEnvironment.longestVariable / 1_000),096 bytes",
            "all together \(AppEnvironment.longestWhole / 1_000),768",
            "\(AppLimits.usualProcesses / 1_000),096 processes and threads",
        ] {
            #expect(guide.contains(words), "\(words)")
        }
    }
}
