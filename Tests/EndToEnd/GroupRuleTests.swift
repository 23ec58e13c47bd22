import Foundation
import Testing
import Waiting

/// A group by rule with the real processes (A16, S4-FLOW-04): what a device reports says what it gets.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct GroupRuleTests {
    @Test func aDeviceJoinsAGroupByWhatItReportsGetsItsAppLeavesAndLosesIt() async throws {
        try await Road.with { road in
            let greeter = try await RoadApp.installed("Greeter", as: "com.example.greeter", on: road)
            try await road.configure("Parks to visit")
            try await road.enroll()
            let rule = "os = linux and app com.example.greeter >= 1"
            let preview = try await road.martlet("group", "rule", "preview", rule)
            #expect(preview.contains("would join     0"), "\(preview)")
            try await road.martlet("group", "create", "greeted", "--rule", rule)
            try await road.martlet(
                "assign", "greeted", Road.app, "--configuration", "default", "--priority", "3")
            try await road.synchronised()
            #expect(try await explained(road).contains("No app is assigned."))

            // The app is given, the device reports its version, and so comes into the group.
            try await road.martlet("assign", "teachers", greeter.identifier)
            try await eventually("the device is in the group") {
                try await explained(road, Road.app).contains("it counts")
            }
            let told = try await explained(road)
            #expect(told.contains("rule of greeted") && told.contains("app com.example.greeter >= 1"), "\(told)")
            #expect(told.contains("yes: linux"), "\(told)")
            try await road.synchronised()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Parks to visit")
            let refused = try await road.martlet(
                "device", "group", "add", road.udid, "greeted", status: 4)
            #expect(refused.contains("has a rule"), "\(refused)")
            let other = try await road.martlet("device", "explain", road.udid, "--group", "teachers")
            #expect(!other.contains(Road.app), "\(other)")

            // The app goes, the device says so, and leaves the group with what it gave.
            try await road.martlet("unassign", "teachers", greeter.identifier)
            try await eventually("the device left the group") {
                try await explained(road).contains("No app is assigned.")
            }
            try await road.synchronised()
            try await eventually("the app is not managed any more") { try await !road.deviceShown().contains(Road.app) }
            #expect(try await road.martlet("group", "show", "greeted").contains("devices  0"))
        }
    }

    private func explained(_ road: Road, _ app: String...) async throws -> String {
        let (status, text) = try await road.run("martlet", ["device", "explain", road.udid] + app)
        return status == 0 ? text : ""
    }
}
