import Foundation
import Testing

/// A value that looks like a secret comes into user defaults only if the administrator says so, whichever command brings it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct SuspectedSecretRoadTests {
    private static let secret = #"{"apiToken": "hunter2"}"#

    @Test func itIsRefusedWithItsKeyUntilItIsForced() async throws {
        let port = try KeptPort.next()
        try await Road.with(options: ["--metrics", "127.0.0.1:\(port)"]) { road in
            // By the framework it is taken: nothing but the app reads it.
            try await road.configure(json: Self.secret)
            try await road.assign()
            let assign = ["assign", "teachers", Road.app, "--delivery", "both"]
            let refused = try await road.run("martlet", assign)
            #expect(refused.status == 4 && refused.text.contains("apiToken: looks like a secret"), "\(refused.text)")
            #expect(refused.text.contains("--force") && !refused.text.contains("hunter2"), "\(refused.text)")
            #expect(try await Self.refusals(port, road) == 1)
            let forced = try await road.run("martlet", assign + ["--force"])
            #expect(forced.status == 0 && forced.text.contains("“apiToken”"), "\(forced.text)")
            let log = try await road.martlet("audit", "list", "--action", "assignment.set", "--json")
            #expect(log.contains("suspectedSecrets") && !log.contains("hunter2"), "\(log)")

            let file = road.home.appending(path: "\(UUID().uuidString).json")
            try Data(Self.secret.replacing("hunter2", with: "hunter3").utf8).write(to: file)
            let set = ["configuration", "set", Road.app, "default", "--file", file.path]
            let ends: [(options: [String], status: Int32)] = [([], 4), (["--dry-run"], 4), (["--force"], 0)]
            for (more, status) in ends {
                let answer = try await road.run("martlet", set + more)
                #expect(answer.status == status && answer.text.contains("apiToken"), "\(more): \(answer.text)")
            }
            // The dry run refused nothing.
            #expect(try await Self.refusals(port, road) == 2)
        }
    }

    private static func refusals(_ port: Int, _ road: Road) async throws -> Int? {
        let text = try await road.shell("curl -sSf http://127.0.0.1:\(port)/metrics")
        let sample = #"martlet_secret_values_refused_total{kind="suspected"} "#
        return text.split(separator: "\n").first { $0.hasPrefix(sample) }.flatMap { Int($0.dropFirst(sample.count)) }
    }
}
