import Foundation
import Testing
import Waiting

/// A24, D13: the identity by which a device speaks with its server is renewed, with lives of seconds.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct RenewalTests {
    /// The agent goes over to another identity while the app keeps its configuration; the old one is refused afterwards.
    @Test func theAgentGoesOverToAnotherIdentityAndTheAppNoticesNothing() async throws {
        try await Road.with(options: ["--enrollment-lifetime", "30s"]) { road in
            try await road.configure("Before")
            try await road.assign()
            let copy = try await Self.enroll(road)
            let old = try await Self.serial(road)
            // Before it has synchronized for the first time a device has nothing for its apps.
            try await road.synchronised()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Before")
            let process = try road.landmarksProcesses()
            _ = try await road.agent.line(containing: "this device has a new identity")
            try await eventually("the new identity is in the log") {
                try await road.martlet("audit", "list", "--action", "device.renew").contains(road.udid)
            }
            let new = try await Self.serial(road)
            #expect(new != old)

            let mark = app.mark
            try await road.configure("After")
            _ = try await app.line(containing: "Managed Collection: After", after: mark)
            #expect(try road.landmarksProcesses() == process)
            #expect(!app.output.contains { isAnEmptyView($0.text) })

            let before = try road.server.mark
            let thief = try RunningProcess(
                "old identity", Road.binary("martlet-agent"), ["run", "--directory", copy],
                environment: Road.environment(road.home))
            defer { thief.killNow() }
            // It may have expired meanwhile as well.
            _ = try await road.server.line(after: before, "the old identity is refused") {
                $0.contains("device refused")
                    && ($0.contains("not the one pinned to the enrollment") || $0.contains("has expired"))
            }
            #expect(!thief.output.contains { $0.text.contains("declarations are in place") })
        }
    }

    /// The agent ends at writes all over the way to its new identity; started again it goes on.
    @Test func anAgentThatEndsInTheMiddleGoesOnWithItsNewIdentity() async throws {
        try await Road.with(options: ["--enrollment-lifetime", "20s"]) { road in
            try await road.configure("Before")
            try await road.assign()
            _ = try await Self.enroll(road)
            try await road.synchronised()
            try await road.stop(road.agent)
            let old = try await Self.serial(road)
            try await eventually("it is told to renew") {
                try await !road.martlet("device", "show", road.udid).contains("to be renewed")
            }
            var ends = 0
            for number in stride(from: 1, to: 60, by: 4) {
                let log = road.home.appending(path: "points.log")
                let agent = try road.launchAgent(CrashPoint(number, of: road.agentDirectory, log: log))
                // A point that is not reached some seconds after the renewal lies behind it.
                try await eventually("the point or the renewal is reached") {
                    !agent.isRunning || agent.output.contains { $0.text.contains("this device has a new identity") }
                }
                guard try await agent.exit(within: .seconds(30)) != nil else {
                    agent.killNow()
                    break
                }
                ends += 1
            }
            #expect(ends > 3)
            try await road.startAgent()
            try await road.configure("After")
            try await road.synchronised()
            #expect(try await Self.serial(road) != old)
        }
    }

    /// A device that was away past the end of its identity says so, fetches its renewal, and is in touch again.
    ///
    /// It enrolls while its identity is good, however busy the machine is; that of its renewal lasts longer.
    @Test func aDeviceThatWasAwayPastTheEndOfItsIdentityComesBack() async throws {
        try await Road.with(options: ["--enrollment-lifetime", "20s"]) { road in
            try await road.configure("Before")
            try await road.assign()
            _ = try await Self.enroll(road, starting: false)
            // Whatever takes longer, the identity is over by then.
            try await Task.sleep(for: .seconds(21))
            try await road.stop(road.server)
            try await road.startServer("--enrollment-lifetime", "1h")
            try await road.startAgent()
            #expect(try await road.deviceShown().contains("identity"))
            _ = try await road.agent.line(containing: "this device's identity has expired")
            _ = try await road.agent.line(containing: "this device has a new identity")
            try await road.synchronised()
        }
    }

    /// After the grace the device stays enrolled and serves its apps; it and the administrator are told what to do.
    @Test func aDeviceThatWasAwayForTooLongIsToldToEnrolAnew() async throws {
        try await Road.with(options: ["--enrollment-lifetime", "60s", "--expired-grace", "0s"]) { road in
            try await road.configure("Kept")
            try await road.assign()
            _ = try await Self.enroll(road)
            try await road.synchronised()
            try await road.stop(road.agent)
            // A minute in which nothing is asked: each question would be a process of its own.
            _ = try await road.server.line(containing: "must be enrolled anew")
            #expect(try await road.deviceShown().contains("must be enrolled anew"))
            #expect(try await road.martlet("audit", "list", "--action", "device.lapse").contains(road.udid))
            try await road.startAgent()
            _ = try await road.agent.line(containing: "must give it a new enrollment code")
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Kept")
            let status = try await road.run("martlet-agent", ["status", "--directory", road.agentDirectory])
            #expect(status.text.contains("identity     expired") && status.text.contains("enrolled     yes"))
        }
    }

    // MARK: Steps

    /// Enrolls, keeps a copy of what the agent knows with its first identity, and starts the agent; answers the copy's place.
    private static func enroll(_ road: Road, starting: Bool = true) async throws -> String {
        try road.installLandmarks()
        let enrolled = try await road.tryToEnroll(code: road.enrollmentCode())
        guard enrolled.status == 0 else { throw Road.Broken(description: "enroll: \(enrolled.text)") }
        let copy = road.home.appending(path: "copy").path
        try FileManager.default.copyItem(atPath: road.agentDirectory, toPath: copy)
        if starting { try await road.startAgent() }
        return copy
    }

    /// The serial number of the certificate that is pinned now.
    private static func serial(_ road: Road) async throws -> String {
        let text = try await road.martlet("device", "show", road.udid, "--json")
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let identity = try #require(fields["identity"] as? [String: Any])
        return try #require(identity["serial"] as? String)
    }
}
