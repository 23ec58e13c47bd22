import Foundation
import Testing
import Waiting

/// Three generations of an app get the same configuration while their fleet moves from the dictionary to the framework.
///
/// The old program reads the dictionary alone, the present one reads the dictionary and the framework, and the new one
/// reads the framework alone. The new one also knows a key that the configuration does not have yet.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ThreeProgramsTests {
    private static let specification = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Greeter/specification.json").standardizedFileURL.path

    /// S4-BP-05, S4-BP-06, S4-BP-07, S4-BP-09: each program shows the right value after each step, and in the end each
    /// gets its configuration in a form that it reads.
    @Test func programsOfAnyAgeShowTheRightValueAfterEachStepOfAMigration() async throws {
        try await Road.with { road in
            let old = try await RoadApp.installed("PageViewer", as: "com.example.page-viewer", on: road)
            let present = RoadApp(road: road, identifier: Road.app)
            let new = try await RoadApp.installed("Greeter", as: "com.example.greeter", on: road)
            try await road.martlet("app", "specification", "set", new.identifier, Self.specification)
            try await configure([old, present, new], "one")
            for app in [old, present, new] {
                try await road.martlet(
                    "assign", "teachers", app.identifier, "--configuration", "default", "--delivery", "defaults")
            }
            try await road.enroll()
            try await road.synchronised()

            // Dictionary alone: the new program shows its own defaults.
            let buttons = Pipe()
            let oldRuns = try old.open(input: buttons.fileHandleForReading)
            let presentRuns = try present.open()
            let newRuns = try new.open()
            try await shows("one", oldRuns, presentRuns)
            _ = try await newRuns.line(after: 0, "the app's own default") { $0 == "Hello! " }
            // The judgement names a key that is left out, and the program's default for it.
            let judged = try await road.martlet("app", "migrate", new.identifier)
            #expect(judged.contains("left out: times"), "\(judged)")

            // Dictionary and framework: each program has the value.
            for app in [old, present, new] { try await road.martlet("app", "migrate", app.identifier, "--start") }
            _ = try await newRuns.line(after: 0, "the framework's value") { $0 == "one! " }
            let started = newRuns.mark
            try await configure([old, present, new], "two")
            try await shows("two", oldRuns, presentRuns)
            _ = try await newRuns.line(after: started, "the next value") { $0 == "two! " }

            // Back, for the program that reads both: without the framework's value it uses the dictionary.
            try await road.martlet("app", "migrate", present.identifier, "--back", "--group", "teachers")
            try await configure([present], "back")
            _ = try await presentRuns.line(containing: "Managed Collection: back")
            try await road.martlet("app", "migrate", present.identifier, "--start")

            // Framework alone, for the programs that read it.
            for app in [present, new] {
                try await eventually("\(app.identifier) has decoded it") { try await finish(app).status == 0 }
            }
            let refused = try await finish(old)
            #expect(
                refused.status == 4 && refused.text.contains("not all devices run the framework's configuration"),
                "\(refused)")
            try await configure([old, present, new], "three")
            try await shows("three", oldRuns, presentRuns)
            _ = try await newRuns.line(after: started, "the last value") { $0 == "three! " }

            let list = try await road.martlet("assignment", "list", "--json")
            #expect(list.components(separatedBy: #""delivery" :"#).count == 2, "only the old one's: \(list)")
            #expect(list.contains(#""delivery" : "both""#), "\(list)")
            // No program was without a value in between.
            #expect(!oldRuns.output.contains { $0.text == "URL      http://localhost:1/" })
            #expect(!presentRuns.output.contains { isAnEmptyView($0.text) })
            #expect(!newRuns.output.dropFirst(started).contains { $0.text == "Hello! " })
            try buttons.fileHandleForWriting.close()
        }
    }

    /// Sets one configuration for all: each program ignores the keys that it does not know.
    private func configure(_ apps: [RoadApp], _ value: String) async throws {
        let body = """
            <key>serverURL</key><string>http://localhost:1/\(value)</string>
            <key>managedCollection</key><dict><key>title</key><string>\(value)</string></dict>
            <key>greeting</key><string>\(value)</string>
            """
        for app in apps { try await app.configure(dictionary: body) }
    }

    /// Waits until the programs that read the dictionary show a value.
    private func shows(_ value: String, _ old: RunningProcess, _ present: RunningProcess) async throws {
        _ = try await old.line(containing: "URL      http://localhost:1/\(value)")
        _ = try await present.line(containing: "Managed Collection: \(value)")
    }

    private func finish(_ app: RoadApp) async throws -> (status: Int32, text: String) {
        try await app.road.run("martlet", ["app", "migrate", app.identifier, "--finish"])
    }
}
