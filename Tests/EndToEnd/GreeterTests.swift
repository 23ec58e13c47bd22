import Foundation
import Testing
import Waiting

/// The app of the guide for app developers, on the road.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct GreeterTests {
    /// S4-FLOW-09, S4-API-06: one struct whose initializer the compiler writes and one loop are a managed app.
    ///
    /// S4-FLOW-07: each change is a version; who made it and when can be read, and which one the device has.
    @Test func oneStructAndOneLoopAreAManagedApp() async throws {
        try await Road.with { road in
            let greeter = try await RoadApp.installed("Greeter", as: "com.example.greeter", on: road)
            try await greeter.configure(dictionary: "<key>greeting</key><string>Welcome</string>")
            try await greeter.assign()
            try await road.enroll()
            try await road.synchronised()
            let app = try greeter.open()
            let first = try await app.line(after: 0, "a greeting") { $0.contains("!") }
            #expect(first.text == "Welcome! ")
            try await version(shownFor: greeter, is: 1)

            var mark = app.mark
            try await greeter.configure(
                dictionary: "<key>greeting</key><string>Bonjour</string><key>times</key><integer>2</integer>")
            _ = try await app.line(containing: "Bonjour! Bonjour! ", after: mark)
            try await version(shownFor: greeter, is: 2)

            let answer = try await road.martlet("configuration", "history", greeter.identifier, "default", "--json")
            let history = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [[String: Any]])
            #expect(history.compactMap { $0["version"] as? Int } == [2, 1])
            #expect(history.allSatisfy { $0["author"] as? String == "admin" })
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let moments = history.compactMap { ($0["created"] as? String).flatMap { try? format.parse($0) } }
            #expect(moments.count == 2 && moments.allSatisfy { abs($0.timeIntervalSinceNow) < 600 })

            mark = app.mark
            try await greeter.configure(dictionary: "<key>times</key><string>many</string>")
            _ = try await app.line(containing: "Hello! ", after: mark)
        }
    }

    private func version(shownFor app: RoadApp, is version: Int) async throws {
        try await eventually("the device has version \(version)") {
            try await app.road.deviceShown().split(separator: "\n").contains { line in
                line.contains(app.identifier) && line.contains("default, version \(version)")
            }
        }
    }
}
