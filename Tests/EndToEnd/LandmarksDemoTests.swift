import Foundation
import Testing

/// The demo as a reviewer starts it: S4-BP-10, AS-6 step 10.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct LandmarksDemoTests {
    private let sample = "Managed Collection: Parks to visit"

    /// A machine that nobody manages: the demo shows the sample, and the app alone shows nothing of it.
    @Test func theDemoNeedsNoAdministrator() async throws {
        try await Road.with { road in
            let demo = try road.startAlone("Landmarks", ["--demo"])
            _ = try await demo.line(containing: sample)
            try await road.stop(demo)
            let plain = try road.startAlone("Landmarks", [])
            let first = try await plain.line(after: 0, "the first view", where: isAView)
            #expect(isAnEmptyView(first.text))
        }
    }

    /// What an administrator made goes before the sample, which comes back when it is taken away.
    @Test func aConfigurationGoesBeforeTheDemo() async throws {
        try await Road.with { road in
            try await road.martlet("assign", "teachers", Road.app)
            try await road.enroll()
            try await road.synchronised()
            let app = try road.openLandmarks("--demo")
            _ = try await app.line(containing: sample)
            var mark = app.mark
            try await road.configure("Lakes")
            try await road.assign()
            _ = try await app.line(containing: "Managed Collection: Lakes", after: mark)
            mark = app.mark
            try await road.martlet("assign", "teachers", Road.app, "--no-configuration")
            _ = try await app.line(containing: sample, after: mark)

            // And one who starts without the demo sees the configuration alone.
            app.send(SIGTERM)
            #expect(try await app.exit() != nil)
            try await road.assign()
            try await road.synchronised()
            let other = try road.openLandmarks()
            let first = try await other.line(after: 0, "the first view", where: isAView)
            #expect(!first.text.contains(sample))
        }
    }
}
