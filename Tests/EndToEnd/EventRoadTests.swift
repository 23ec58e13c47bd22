import AdminMessages
import Foundation
import Testing
import Waiting

/// What changes, told while it happens, by the programs that are built.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct EventRoadTests {
    private func watching(_ road: Road, _ arguments: String...) throws -> RunningProcess {
        let watch = try RunningProcess(
            "martlet", Road.binary("martlet"), ["watch"] + arguments, environment: Road.environment(road.home))
        road.keep(watch)
        return watch
    }

    /// An edit is followed on its way: set, fetched, settled; an app's refusal, and its end.
    @Test func aChangeIsFollowedToTheDeviceAndBack() async throws {
        try await Road.with { road in
            try await road.configure("Lakes")
            try await road.assign()
            let watch = try watching(road, "--json", "--kind", "device", "--kind", "configuration")
            try await road.enroll()
            let settled = try await watch.line(containing: #""kind":"device.settle""#)
            #expect(settled.text.contains(road.udid))
            let kinds = try watch.output.map { try AdminJSON.decode(ChangeEvent.self, from: Data($0.text.utf8)).kind }
            #expect(kinds.contains("device.enroll") && kinds.contains("device.fetch"))
            #expect(!kinds.contains { $0.hasPrefix("assignment.") })
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Lakes")

            let mark = watch.mark
            try await road.configure(json: #"{"assetURL": "http://example.com"}"#)
            let set = try await watch.line(containing: #""kind":"configuration.set""#, after: mark)
            #expect(set.text.contains(#""version":2"#) && set.text.contains("administrator:admin"))
            #expect(!set.text.contains("example.com"), "no value is told")
            let refused = try await watch.line(
                containing: #""kind":"device.refuse""#, after: mark)
            #expect(refused.text.contains(Road.app) && refused.text.contains(#""version":2"#))
            try await Self.journey(of: 2, on: road) { $0.devices == 1 && $0.refused == 1 && $0.fetched == 1 }
            let mended = watch.mark
            try await road.configure("Rivers")
            _ = try await watch.line(containing: #""kind":"device.accept""#, after: mended)
            _ = try await watch.line(containing: #""kind":"device.settle""#, after: mended)
            try await Self.journey(of: 3, on: road) { $0.devices == 1 && $0.settled == 1 && $0.refused == 0 }
            let text = try await road.martlet("overview")
            #expect(text.contains("configuration.set \(Road.app) default version 3: on 1 of 1"), "\(text)")
        }
    }

    /// Waits until a version of the configuration is so far, as the overview has it.
    private static func journey(
        of version: Int, on road: Road, _ holds: (ChangeJourney) -> Bool
    ) async throws {
        var text = ""
        try await eventually("version \(version) is so far, but \(text)") { () -> Bool in
            text = try await road.martlet("overview", "--json")
            let overview = try AdminJSON.decode(Overview.self, from: Data(text.utf8))
            return overview.changes?.first { $0.version == version && $0.kind == "configuration.set" }.map(holds)
                == true
        }
    }

    /// A connection that is lost is made again; what happened meanwhile in the same process is told then, and after another
    /// start of the server it is said that some may be missing.
    @Test func aLostConnectionIsMadeAgain() async throws {
        try await Road.with { road in
            let watch = try watching(road, "--json", "--kind", "group")
            // Listening has begun when something is heard.
            var number = 0
            let heard = try await eventually("something is heard") { () -> RunningProcess.Line? in
                number += 1
                try await road.martlet("group", "create", "begin-\(number)")
                return watch.output.first
            }
            let first = try AdminJSON.decode(ChangeEvent.self, from: Data(heard.text.utf8))
            try await road.martlet("group", "create", "last")
            _ = try await watch.line(containing: #""group":"last""#)
            let after = try await road.martlet("watch", "--once", "--json", "--kind", "group", "--after", first.id)
            #expect(after.contains(#""group":"last""#) && !after.contains(#""id":"\#(first.id)""#))
            let people = try await road.martlet("watch", "--once", "--kind", "group", "--after", first.id)
            #expect(people.contains("group.create  group last  by administrator:admin"), "\(people)")

            try await road.stop(road.server)
            _ = try await watch.line(containing: "Trying again")
            try await road.startServer()
            _ = try await watch.line(containing: #"{"kind":"reset"}"#)
            try await road.martlet("group", "create", "back")
            _ = try await watch.line(containing: #""group":"back""#)
        }
    }

    /// The command fails at once without the right to listen, or for things that do not exist.
    @Test func aRefusalEndsIt() async throws {
        try await Road.with { road in
            let wrong = try await road.martlet("watch", "--kind", "nothing", status: 4)
            #expect(wrong.contains("There is no such kind of change"), "\(wrong)")
            let nobody = try await road.martlet("watch", "--device", "serial:nobody", status: 3)
            #expect(nobody.contains("no device with the serial number nobody"), "\(nobody)")
            let watch = try watching(road)
            _ = try await watch.line(containing: "Waiting for what changes")
            try await road.martlet("logout")
            #expect(try await watch.exit() == 5)
        }
    }
}
