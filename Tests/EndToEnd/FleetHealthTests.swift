import Foundation
import Testing
import Waiting

/// An administrator sees what is left to do until each app works as it is assigned, and in the end that there is nothing.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct FleetHealthTests {
    private struct Shown: Decodable {
        struct States: Decodable {
            let states: [String: Int]
            let unreported: Int
            let notInOrder: Int
        }
        let states: States
    }

    private static func states(on road: Road) async throws -> Shown.States {
        let shown = try await road.martlet("app", "show", Road.app, "--json")
        return try JSONDecoder().decode(Shown.self, from: Data(shown.utf8)).states
    }

    private static func expect(
        _ what: String, on road: Road, _ holds: @escaping (Shown.States) -> Bool
    ) async throws {
        var last: Shown.States?
        try await eventually("\(what), but \(String(describing: last))") { () -> Bool in
            let states = try await states(on: road)
            last = states
            return holds(states)
        }
    }

    /// D3, S4-GOAL-08: on a device without a chip a key that needs one withholds itself and nothing else, also on the first
    /// assignment; the administrator reads which secret is missing and why, and how many devices are not in order: none in
    /// the end.
    @Test func aSecretThatADeviceCannotHaveWithholdsNothingElseAndAFleetInOrderEndsAtZero() async throws {
        try await Road.with { road in
            try await road.configure("Lakes")
            try await road.assign()
            try await road.setSecret("chip", ["--acme", "--hardware-bound", "--subject", "CN=x"])
            try await road.give("chip", to: Road.app, as: "asset-server")
            try await road.setPassword("pin", "correct horse")
            try await road.give("pin", to: Road.app, as: "login")
            try await road.enroll()
            try await Self.expect("the secret is missing", on: road) {
                $0.states["withheld"] == 1 && $0.notInOrder == 1
            }
            let shown = try await road.deviceShown()
            #expect(shown.contains("Error.SecretUnavailable") && shown.contains("asset-server"))
            #expect(shown.contains("no chip for that") && !shown.contains("Error.ConfigurationNotApplied"))
            // The configuration arrives, and so does the password.
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Lakes")
            let audit = try await road.martlet("audit", "list", "--action", "secret.release")
            #expect(audit.contains("pin"))
            // A key in software is enough from now on.
            try await road.setSecret("chip", ["--acme", "--subject", "CN=x", "--replace"])
            try await Self.expect("everything is in order", on: road) {
                $0.states["decoded"] == 1 && $0.notInOrder == 0 && $0.unreported == 0
            }
            #expect(try await road.martlet("app", "show", Road.app).contains("0 devices"))
            #expect(try await road.martlet("overview").contains("1 decoded"))
            // A refusal is counted as one, and nothing is once it is put right.
            try await road.configure("Broken", [1001, 9999])
            try await Self.expect("the configuration is refused", on: road) {
                $0.states["refused"] == 1 && $0.states["decoded"] == 0 && $0.notInOrder == 1
            }
            try await road.configure("Put right")
            try await Self.expect("everything is in order again", on: road) { $0.notInOrder == 0 }
        }
    }

    /// Red where the declaration alone has the error: the app was `unreported`, its device up to date, and no alert began.
    @Test func anAppWhoseManifestCannotBeFetchedHasFailedUntilItComesFromElsewhere() async throws {
        try await Road.with { road in
            try await road.martlet(
                "app", "source", "set", Road.app, "--platform", "linux", "--manifest",
                "https://127.0.0.1:9/landmarks.plist")
            try await road.configure("Lakes")
            // The server has to know what the device is before it gives it the source for its platform.
            try await road.enroll()
            try await road.synchronised()
            try await road.assign()
            try await Self.expect("the app has failed", on: road) { $0.states["failed"] == 1 && $0.unreported == 0 }
            let shown = try await road.deviceShown()
            #expect(shown.contains("Error.DownloadFailed") && shown.contains("an app needs attention"), "\(shown)")
            #expect(!shown.contains("up to date"), "\(shown)")
            #expect(try await road.martlet("overview").contains("1 failed"))
            #expect(try await road.martlet("audit", "list", "--action", "alert.failed").contains("alert.failed"))
            // Landmarks lies in the device's app directory.
            try await road.martlet(
                "app", "source", "remove", Road.app, "--platform", "linux", "--origin", "manifest")
            try await Self.expect("the app is there", on: road) {
                $0.states["failed"] == 0 && $0.states["unknown"] == 1
            }
        }
    }
}
