import Foundation
import Testing

/// Many devices at one real server.
///
/// `make soak` plays 2,000; the quick suite a few.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(30)))
struct FleetTests {
    private static let fleet = ProcessInfo.processInfo.environment["MARTLET_FLEET_DEVICES"].flatMap(Int.init)
    private static let devices = fleet ?? 40

    /// S0-MDM-01: all enroll, each takes a command, and every one is acknowledged.
    ///
    /// In `make soak`, where nothing else runs, within a quarter of a second for each device, in a debug build on two
    /// cores that play the devices as well.
    @Test func everyDeviceOfAFleetEnrolsAndTakesACommand() async throws {
        try await Road.with { road in
            let begun = ContinuousClock.now
            let played = try await road.run(
                "martlet-load", ["commands", "--devices", "\(Self.devices)", "--group", "teachers", "--json"],
                within: .seconds(1_500))
            let taken = begun.duration(to: .now)
            let result = try JSONSerialization.jsonObject(with: Data(played.text.utf8)) as? [String: Any]
            #expect(played.status == 0, "\(played.text)")
            #expect(result?["acknowledged"] as? Int == Self.devices)
            if Self.fleet != nil {
                #expect(taken < Duration.seconds(30) + Duration.milliseconds(250) * Self.devices, "\(taken)")
            }
            print("S0-MDM-01: \(played.text)")
            let listed = try await road.martlet("device", "list", "--json")
            #expect(listed.components(separatedBy: #""state" : "enrolled""#).count - 1 >= min(Self.devices, 40))
        }
    }
}
