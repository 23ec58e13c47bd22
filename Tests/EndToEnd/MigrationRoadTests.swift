import Foundation
import Testing
import Waiting

/// A17: an app that reads both goes from its defaults dictionary to the framework, and back, on a real device.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct MigrationRoadTests {
    private static let groups = (0..<6).map { "group-\($0)" }

    /// S4-BP-08, S4-BP-09: the framework's value wins, and with it gone the dictionary's is back; the app never has nothing.
    ///
    /// The command is killed in the middle, and goes on when it is typed again.
    @Test func anAppMovesToTheFrameworkAndBack() async throws {
        try await Road.with { road in
            let moving = try await RoadApp.installed("MovingApp", as: "com.example.moving", on: road)
            try await moving.configure(dictionary: "<key>title</key><string>Parks</string>")
            for group in ["teachers"] + Self.groups {
                if group != "teachers" { try await road.martlet("group", "create", group) }
                try await road.martlet(
                    "assign", group, moving.identifier, "--configuration", "default", "--delivery", "defaults")
            }
            try await road.enroll()
            try await road.synchronised()
            let app = try moving.open()
            _ = try await app.line(containing: "Parks by the dictionary")
            try await eventually("the running app decodes what it is to get") {
                try await migrate(moving, "--try", "--devices", "2") == 0
            }
            let shown = try await road.martlet("app", "migrate", moving.identifier, "--json")
            #expect(shown.contains(#""next" : "start""#), "\(shown)")

            var mark = app.mark
            try await startAndKill(moving)
            try await road.martlet("app", "migrate", moving.identifier, "--start")
            _ = try await app.line(containing: "Parks by the framework", after: mark)
            mark = app.mark
            try await road.martlet("app", "migrate", moving.identifier, "--back", "--group", "teachers")
            _ = try await app.line(containing: "Parks by the dictionary", after: mark)

            mark = app.mark
            try await road.martlet("app", "migrate", moving.identifier, "--start")
            _ = try await app.line(containing: "Parks by the framework", after: mark)
            try await eventually("all that report have decoded it") { try await migrate(moving, "--finish") == 0 }
            try await moving.configure(dictionary: "<key>title</key><string>Rivers</string>")
            _ = try await app.line(containing: "Rivers by the framework", after: mark)
            let list = try await road.martlet("assignment", "list", "--json")
            #expect(!list.contains(#""delivery" :"#), "\(list)")
            let after = try #require(app.output.firstIndex { $0.text.contains("Parks") })
            #expect(!app.output.dropFirst(after).contains { $0.text == "nothing" })
        }
    }

    private func migrate(_ app: RoadApp, _ options: String...) async throws -> Int32 {
        try await app.road.run("martlet", ["app", "migrate", app.identifier] + options).status
    }

    /// Ends the command once it has changed the first group, wherever it is by then.
    private func startAndKill(_ app: RoadApp) async throws {
        let command = try RunningProcess(
            "martlet", Road.binary("martlet"), ["app", "migrate", app.identifier, "--start"],
            environment: Road.environment(app.road.home))
        _ = try await command.line(containing: "1 of \(Self.groups.count + 1)")
        command.killNow()
        _ = try await command.exit()
        try await command.drained()
    }
}
