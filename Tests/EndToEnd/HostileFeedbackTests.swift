import Foundation
import Testing
import Waiting

/// Feedback that no library sends: it is refused by name and counted, and what the app counted before stays.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct HostileFeedbackTests {
    /// By the socket: too deep, no property list, too large, ten thousand levels, a megabyte, and in another's name.
    ///
    /// It was red while a message that is longer than any call was dropped without being counted.
    @Test func hostileFeedbackIsRefusedByNameAndCountedAndNothingIsLost() async throws {
        try await Impostors.with { impostors in
            let road = impostors.road
            let victim = impostors.app.identifier
            let said = try await impostors.app("notes").split(separator: " ").map(String.init)
            let life = try #require(said.first)
            let refused = "dev.martlet.Defaults.FeedbackRefused"
            let expected = ["kept", refused, refused, refused, "hung-up", "hung-up", "not-its-own", "kept"]
            #expect(Array(said.dropFirst()) == expected)
            #expect(try await road.refusals("malformed") == 2, "what is no call is counted by the agent")

            // Another app knows the name of the victim's life.
            try impostors.install("com.example.other")
            let other = RoadApp(road: road, identifier: "com.example.other")
            let answer = try await other.open("note", life).line(containing: "note: ")
            #expect(answer.text == "note: org.varlink.service.PermissionDenied")

            // What was beyond a bound is counted where the administrator reads what the app counted.
            let lives = try await eventually("the server has what the app counted") { () -> [String]? in
                try await road.martlet("feedback", "fetch", road.udid, victim)
                let text = try await road.martlet("feedback", "show", "--device", road.udid, "--json")
                let entries = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
                let found = entries.map { entry in
                    let count = (entry["feedback"] as? [String: Any])?["n"] as? Int ?? 0
                    return "\(entry["app"] as? String ?? "") \(count) \(entry["refused"] as? Int ?? 0)"
                }
                return found.isEmpty ? nil : found
            }
            #expect(lives == ["\(victim) 1 3"])
        }
    }
}
