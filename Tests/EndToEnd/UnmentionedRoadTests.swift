import AdminMessages
import Foundation
import Testing

/// Nothing that a person made is dropped without a word: what a command does not mention stays.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct UnmentionedRoadTests {
    /// An app has a configuration; the guide's examples of `martlet assign` are typed, and the device has it still.
    ///
    /// Red: each of them took it from the whole group, with status 0 and without a question.
    @Test func everyExampleOfAssigningLeavesTheConfigurationOnTheDevice() async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Kept")
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Kept")
            let examples = [[], ["--priority", "10"], ["--lowest-trust", "verified"]]
            for (round, options) in examples.enumerated() {
                let mark = app.mark
                let said = try await road.run("martlet", ["assign", "teachers", Road.app] + options)
                #expect(said.status == 0 && said.text.contains("with the configuration default"), "\(said.text)")
                // Whatever came of it is with the app before this is.
                try await road.configure("Round \(round)")
                _ = try await app.line(containing: "Managed Collection: Round \(round)", after: mark)
                #expect(!app.output.dropFirst(mark).contains { isAnEmptyView($0.text) }, "\(options)")
            }
            let shown = try await road.martlet("assignment", "show", "teachers", Road.app, "--json")
            let kept = try AdminJSON.decode(Assignment.self, from: Data(shown.utf8))
            #expect(kept.priority == 10 && kept.lowestTrust == "verified")

            let mark = app.mark
            let taken = try await road.run("martlet", ["assign", "teachers", Road.app, "--no-configuration"])
            #expect(taken.status == 0 && taken.text.contains("Changed: no configuration."), "\(taken.text)")
            #expect(taken.text.contains("As before: lowest trust verified, priority 10."))
            _ = try await app.line(after: mark, "a view without a collection", where: isAnEmptyView)
        }
    }

    /// Red: each second command took away what the first had said.
    @Test func whatOtherCommandsDoNotMentionStays() async throws {
        try await Road.with { road in
            let (app, other) = (Road.app, "com.example.other")
            try await road.martlet("app", "create", other, "--name", "Other", "--team", "TEAM123456")
            try await road.martlet("app", "create", other)
            let known: App = try await value(["app", "create", other, "--no-team"], road)
            #expect(known == App(bundleIdentifier: other, name: "Other"))

            let source = ["app", "source", "set", app, "--platform", "linux", "--installed"]
            try await done(source + ["--install", "optional", "--updates", "never", "--minimum-agent", "0.1"], road)
            let kept: AppSource = try await value(source + ["--no-updates"], road)
            #expect(kept.install == "optional" && kept.minimumAgentVersion == "0.1" && kept.updates == nil)

            let rights = ["--role", "app-owner", "--app", app, "--group", "teachers"]
            try await done(["administrator", "create", "olga"] + rights, road)
            let change = ["administrator", "set", "olga", "--app", other]
            let olga: AdminMessages.Administrator = try await value(change, road)
            #expect(olga.role == .appOwner && olga.apps == [other] && olga.groups == ["teachers"])

            let expect = ["device", "expect", "SN-1", "--group", "teachers", "--trust-serial-number"]
            try await done(expect + ["--await-configuration"], road)
            try await done(expect, road)
            func waits() async throws -> Bool? {
                let listed: [ExpectedDevice] = try await value(["device", "expected", "SN-1"], road)
                return listed.first?.awaitConfiguration
            }
            #expect(try await waits() == true)
            try await done(expect + ["--no-await-configuration"], road)
            #expect(try await waits() != true)

            try await road.setPassword("wifi", "one", userName: "guest")
            let set = ["secret", "set", "wifi", "--password-stdin"]
            let refused = try await road.run("martlet", set, input: "two\n")
            #expect(refused.status == 4 && refused.text.contains("--user-name"), "\(refused.text)")
            #expect(try await road.run("martlet", set + ["--replace"], input: "two\n").status == 0)
        }
    }

    private func done(_ arguments: [String], _ road: Road) async throws {
        let outcome = try await road.run("martlet", arguments)
        try #require(outcome.status == 0, "\(arguments): \(outcome.text)")
    }

    private func value<Value: Decodable>(_ arguments: [String], _ road: Road) async throws -> Value {
        let outcome = try await road.run("martlet", arguments + ["--json"])
        try #require(outcome.status == 0, "\(arguments): \(outcome.text)")
        return try AdminJSON.decode(Value.self, from: Data(outcome.text.utf8))
    }
}
