import Foundation
import Testing

/// Isolated apps: D7, `MartletIsolated`.
///
/// The app is a real process that tries. It is run without isolation first: what is refused then is refused by
/// isolation.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct AppIsolationTests {
    @Test func anIsolatedAppReachesItselfAndItsHomeAlone() async throws {
        try await Nosy.with { nosy in
            let free = try await nosy.attempts(as: "com.example.free")
            #expect(free.done == Nosy.forbidden.union(Nosy.allowed))

            let bound = try await nosy.attempts(as: "com.example.bound")
            #expect(bound.done == Nosy.allowed.union(["temporary"]))
            #expect(bound.refused == Nosy.forbidden)
            #expect(!FileManager.default.fileExists(atPath: nosy.shared.path + "/mine"))
        }
    }

    @Test func theDeviceMayIsolateAllApps() async throws {
        try await Nosy.with(["--app-isolation", "always"]) { nosy in
            let free = try await nosy.attempts(as: "com.example.free")
            #expect(free.refused == Nosy.forbidden)
        }
    }

    /// Where apps share a user nothing could be kept apart: the app is not launched, rather than launched otherwise.
    @Test func anAppThatIsToBeIsolatedIsNotLaunchedWithoutIsolation() async throws {
        try await Nosy.with(["--app-users", "shared"]) { nosy in
            let refused = try nosy.open("com.example.bound")
            #expect(try await refused.exit() == 1)
            try await refused.drained()
            #expect(refused.output.contains { $0.text.contains("isolated") }, "\(refused.output)")
            #expect(!(try await nosy.attempts(as: "com.example.free").done.isEmpty))
        }
    }
}
