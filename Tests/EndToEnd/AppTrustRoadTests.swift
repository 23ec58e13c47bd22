import Foundation
import Testing
import Waiting

/// How far an app is trusted, and what that gives it: D7.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AppTrustRoadTests {
    /// An app that shares its user gets its configuration and no secret; administrator and person at the device read why.
    @Test func anAppThatSharesItsUserIsGivenNoSecrets() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.stop(road.agent)
            try await road.startAgent("--app-users", "shared")
            try await road.setPassword("account", "for-launched-apps")
            try await app.give("account", as: "account")
            try await road.synchronised()
            #expect(try await app.ask("password", "account") == "account: internalError")
            #expect(try await app.ask("password", "other") == "other: invalidIdentifier")
            try await app.follow().says("password", [])
            for reason in ["Info.SharedUser", "Info.SecretsWithheld"] { try await road.shown(reason) }

            // Administrator and person at the device read one word.
            let explained = try await road.martlet("device", "explain", road.udid, app.app.identifier)
            #expect(explained.firstMatch(of: /standing +withheld/) != nil, "\(explained)")
            try await eventually("the agent has the word that the server has") { () -> Bool in
                try await road.run("martlet-agent", ["status", "--directory", road.agentDirectory]).text
                    .firstMatch(of: /withheld +shared/) != nil
            }

            let status = try await road.run(
                "martlet-agent", ["status", "--directory", road.agentDirectory, "--json"])
            let known = try #require(
                try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any])
            let listed = (known["apps"] as? [[String: Any]])?.first {
                $0["bundleIdentifier"] as? String == app.app.identifier
            }
            #expect(listed?["trust"] as? String == "shared" && listed?["lowestTrust"] as? String == "launched")
        }
    }
}
