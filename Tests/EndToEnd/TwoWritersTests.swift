import Foundation
import Testing

/// Two administrators at the command line and one thing: the second is told, and nothing of the first is lost.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct TwoWritersTests {
    @Test func whoComesLateIsToldWhoWasQuickerAndChangesNothing() async throws {
        try await Road.with { road in
            try await road.configure("one")
            let file = road.home.appending(path: "late.json")
            try Data(#"{"managedCollection": {"title": "late", "landmarks": [1001]}}"#.utf8).write(to: file)
            func set(_ version: String) async throws -> (status: Int32, text: String) {
                try await road.run(
                    "martlet",
                    ["configuration", "set", Road.app, "default", "--file", file.path, "--if-version", version])
            }
            try await road.configure("two")
            let late = try await set("1")
            #expect(late.status == 4 && late.text.contains("was quicker, at 2"), "\(late.text)")
            #expect(late.text.contains("(configuration.set)"), "\(late.text)")
            #expect(try await road.martlet("configuration", "show", Road.app, "default").contains("two"))
            #expect(try await set("2").status == 0)

            try await road.martlet("group", "create", "ruled", "--rule", "os = linux")
            try await road.martlet("group", "rule", "set", "ruled", "os = ios", "--if-rule", "os = linux")
            let second = try await road.run(
                "martlet", ["group", "rule", "set", "ruled", "os = macos", "--if-rule", "os = linux"])
            #expect(second.status == 4 && second.text.contains("another rule now: os = ios"), "\(second.text)")
            let first = try await road.run(
                "martlet", ["group", "rule", "set", "ruled", "os = macos", "--if-rule", ""])
            #expect(first.status == 4 && first.text.contains("was quicker"), "\(first.text)")
            #expect(try await road.martlet("group", "show", "ruled").contains("os = ios"))
        }
    }
}
