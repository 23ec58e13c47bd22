import Foundation
import Testing
import Waiting

/// `martlet dev`: an app tried by its developer, an ordinary user, without a server and without a device.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct DevelopmentTests {
    @Test func anEditArrivesInTheRunningAppAndAnEndEndsBoth() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let dev = try workshop.dev(launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "== Managed Collection: Parks ==")
            _ = try await dev.line(containing: "default.json accepted")
            let processes = Set(workshop.running())
            let mark = dev.mark
            try workshop.configure("Lakes")
            _ = try await dev.line(containing: "== Managed Collection: Lakes ==", after: mark)
            _ = try await dev.line(containing: "default.json accepted", after: mark)
            #expect(Set(workshop.running()) == processes, "nothing was started anew")
            dev.send(SIGTERM)
            #expect(try await dev.exit() == 128 + SIGTERM)
            try await eventually("nothing runs any more") { workshop.running().isEmpty }
            #expect(!FileManager.default.fileExists(atPath: workshop.socket))
        }
    }

    /// What the app says, where, and what is published about it; the specification's word comes first.
    @Test func aRefusalIsPrintedWithKeyPathCodeAndRemedy() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let dev = try workshop.dev(
                "--specification", Workshop.example("Landmarks/specification.json"),
                launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "default.json accepted")
            let mark = dev.mark
            try workshop.configure("Parks", [1001, 7])
            let finding = try await dev.line(
                containing: "default.json error: managedCollection.landmarks[1]: ", after: mark)
            let deployed = try await dev.line(containing: "default.json deployed", after: mark)
            let refusal = try await dev.line(containing: "default.json refused: ", after: mark)
            #expect(finding.index < deployed.index && deployed.index < refusal.index)
            #expect(refusal.text.contains("managedCollection.landmarks") && refusal.text.contains("code 100: "))
            _ = try await dev.line(containing: "unknownLandmark: A number in", after: refusal.index)
            _ = try await dev.line(containing: "Use the numbers 1001 to 1012", after: refusal.index)
            _ = try await dev.line(containing: "(no managed collection)", after: mark)
        }
    }

    @Test func eachEventIsOneJSONObjectForPrograms() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks", [7])
            try FileManager.default.copyItem(
                atPath: Workshop.example("Landmarks/specification.json"),
                toPath: workshop.path("dev/specification.json"))
            let dev = try workshop.dev("--json", launching: [try workshop.program("Landmarks")])
            let line = try await dev.line(containing: #""event":"refused""#)
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any])
            #expect(fields["code"] as? Int == 100 && fields["file"] as? String == "default.json")
            #expect(fields["keyPath"] as? String == "managedCollection.landmarks[0]")
            #expect((fields["meaning"] as? String)?.hasPrefix("A number in") == true)
            let events = dev.output.filter { $0.text.hasPrefix("{") }
            #expect(events.contains { $0.text.contains(#""event":"finding""#) && !$0.text.contains(":7") })
        }
    }

    /// A file that cannot be read yet takes nothing away, one that is deleted does, and a next one is deployed.
    @Test func aTornFileChangesNothingAndADeletedOneWithdraws() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let dev = try workshop.dev(launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "default.json accepted")
            var mark = dev.mark
            try workshop.write("dev/default.json", #"{"managedCollection": {"title": "La"#)
            let kept = try await dev.line(
                containing: "default.json is not used, what was there before stays", after: mark)
            #expect(!dev.output.dropFirst(mark).contains { $0.text == "LANDMARKS" })
            try workshop.remove("dev/default.json")
            _ = try await dev.line(containing: "default.json withdrawn", after: kept.index)
            _ = try await dev.line(containing: "(no managed collection)", after: kept.index)
            mark = dev.mark
            try workshop.write(
                "dev/default.plist",
                """
                <plist version="1.0"><dict><key>managedCollection</key><dict>
                <key>title</key><string>Woods</string></dict></dict></plist>
                """)
            _ = try await dev.line(containing: "== Managed Collection: Woods ==", after: mark)
        }
    }

    /// Whoever could enter would have the app's secrets, or be the app.
    @Test func aPlaceThatOthersMayEnterIsNotUsed() async throws {
        try await Workshop.with { workshop in
            try FileManager.default.createDirectory(
                atPath: workshop.path("runtime/martlet-dev"), withIntermediateDirectories: true)
            try workshop.own(workshop.path("runtime/martlet-dev"), mode: 0o777)
            let refused = try workshop.dev(launching: [try workshop.program("Landmarks")])
            #expect(try await refused.exit() == 1)
            try await refused.drained()
            #expect(refused.output.contains { $0.text.contains("closed to others") })

            try workshop.own(workshop.path("runtime/martlet-dev"), mode: 0o700)
            let dev = try workshop.dev(launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "there is no configuration yet: default.plist or default.json")
            _ = try await dev.line(containing: "(no managed collection)")
            try workshop.configure("Parks")
            _ = try await dev.line(containing: "== Managed Collection: Parks ==")
        }
    }

    /// Red where a mistyped directory was waited for.
    @Test func aDirectoryThatWasNeverThereIsRefusedAtOnce() async throws {
        try await Workshop.with { workshop in
            let dev = try workshop.run(
                "martlet dev",
                [Road.binary("martlet").path, "dev", Road.app, "--directory", workshop.path("missing")])
            #expect(try await dev.exit() == 1)
            try await dev.drained()
            #expect(dev.output.contains { $0.text.contains("there is no directory ") })
        }
    }

    /// Red where a file was called a directory that is not there, and a program that cannot be started had no name.
    @Test func whatCannotBeUsedIsNamed() async throws {
        try await Workshop.with { workshop in
            let file = workshop.path("a-file")
            try Data().write(to: URL(filePath: file))
            let missing = workshop.path("missing")
            let courses = [
                (["--directory", file], "\(file) is not a directory"),
                (
                    ["--directory", workshop.path("dev"), "--", missing],
                    "the program \(missing) cannot be started: there is no such file"
                ),
                (
                    ["--directory", workshop.path("dev"), "--", file],
                    "the program \(file) cannot be started: you may not execute it"
                ),
                (
                    ["--directory", workshop.path("dev"), "--", workshop.path("dev")],
                    "the program \(workshop.path("dev")) cannot be started: it is a directory"
                ),
                (
                    ["--directory", workshop.path("dev"), "--", "no-such-program"],
                    "the program no-such-program cannot be started: it is in no directory of PATH"
                ),
            ]
            for (arguments, sentence) in courses {
                let dev = try workshop.run(
                    "martlet dev", [Road.binary("martlet").path, "dev", Road.app] + arguments)
                #expect(try await dev.exit() == 1, "\(sentence)")
                try await dev.drained()
                #expect(dev.output.contains { $0.text.contains(sentence) }, "\(dev.output.map(\.text))")
            }
        }
    }

    /// Red where the agent went on, and nobody saw what it said.
    @Test func lostOutputEndsTheCommand() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let script = #"exec "$@" >/dev/full"#
            let words = [Road.binary("martlet").path, "dev", Road.app, "--directory", workshop.path("dev")]
            let dev = try workshop.run("martlet dev", ["/bin/sh", "-c", script, "sh"] + words)
            #expect(try await dev.exit() == 1)
            try await dev.drained()
            let text = dev.output.map(\.text).joined(separator: "\n")
            #expect(text.contains("the output could not be written: No space left on device"), "\(text)")
            #expect(text.contains("The app is served no more."), "\(text)")
            #expect(!FileManager.default.fileExists(atPath: workshop.socket))
        }
    }

    /// Red where a mistyped file, and a secret for which the app does not ask, were passed over in silence.
    @Test func whatIsNotUsedIsSaidWithTheNearestName() async throws {
        try await Workshop.with { workshop in
            try workshop.write("dev/defalut.json", "{}")
            let specification = #"""
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "x-app": {"bundleIdentifier": "\#(Road.app)"},
                 "x-secrets": [{"kind": "password", "identifier": "account"}]}
                """#
            try workshop.write("dev/specification.json", specification)
            try workshop.write("secrets.json", #"{"passwords": {"acount": "hunter2"}}"#, mode: 0o600)
            let dev = try workshop.dev("--secrets", workshop.path("secrets.json"))
            let file = try await dev.line(containing: "defalut.json warning: the file is not used")
            _ = try await dev.line(containing: #"Did you mean "default.json"?"#, after: file.index)
            let secret = try await dev.line(
                containing: "secrets.json warning: password acount: the app asks for no secret of this identifier")
            _ = try await dev.line(containing: #"Did you mean "account"?"#, after: secret.index)
            #expect(!dev.output.contains { $0.text.contains("hunter2") })
        }
    }

    /// The directory as such may go and come, as when another branch is checked out.
    @Test func aDirectoryThatIsReplacedIsWatchedOn() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let dev = try workshop.dev(launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "default.json accepted")
            let mark = dev.mark
            try FileManager.default.moveItem(atPath: workshop.path("dev"), toPath: workshop.path("old"))
            _ = try await dev.line(containing: "the directory is not there", after: mark)
            try FileManager.default.createDirectory(atPath: workshop.path("dev"), withIntermediateDirectories: true)
            try workshop.own(workshop.path("dev"))
            try workshop.configure("Hills")
            _ = try await dev.line(containing: "== Managed Collection: Hills ==", after: mark)
            let next = dev.mark
            try workshop.configure("Coasts")
            _ = try await dev.line(containing: "== Managed Collection: Coasts ==", after: next)
        }
    }

    /// A build tool or a script starts the app, any number of times; another user's process is a stranger.
    @Test func anAppThatIsStartedElsewhereIsServedIfItIsTheSameUsers() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let dev = try workshop.dev()
            let served = try await dev.line(containing: "start it with MARTLET_AGENT_SOCKET=")
            let socket = String(served.text.split(separator: "=").last ?? "")
            #expect(socket == workshop.socket)
            let landmarks = try workshop.program("Landmarks")
            let first = try workshop.run("first", [landmarks], ["MARTLET_AGENT_SOCKET": socket])
            _ = try await first.line(containing: "== Managed Collection: Parks ==")
            _ = try await dev.line(containing: "default.json accepted")
            try workshop.configure("Lakes")
            _ = try await first.line(containing: "== Managed Collection: Lakes ==")
            // What a script starts is the developer's as well.
            let second = try workshop.run(
                "second", ["/bin/sh", "-c", landmarks + "; true"], ["MARTLET_AGENT_SOCKET": socket])
            _ = try await second.line(containing: "== Managed Collection: Lakes ==")
            if Road.appsHaveUsers {
                let other = try workshop.run(
                    "root", [landmarks], ["MARTLET_AGENT_SOCKET": socket], asDeveloper: false)
                _ = try await other.line(containing: "(no managed collection)")
                try workshop.configure("Woods")
                _ = try await second.line(containing: "== Managed Collection: Woods ==")
                #expect(!other.output.contains { $0.text.contains("Managed Collection:") })
            }
            dev.send(SIGINT)
            #expect(try await dev.exit() == 0)
        }
    }

    /// Fail closed: what others can read is no secret, at the start and later.
    @Test func secretsComeFromAFileThatNobodyElseMayRead() async throws {
        try await Workshop.with { workshop in
            let secrets = #"{"passwords": {"account": "a password of the developer"}}"#
            try workshop.write("secrets.json", secrets, mode: 0o644)
            let app = [try workshop.program("SecretsApp"), "follow"]
            let refused = try workshop.dev("--secrets", workshop.path("secrets.json"), launching: app)
            #expect(try await refused.exit() == 1)
            try await refused.drained()
            #expect(refused.output.contains { $0.text.contains("chmod 600 secrets.json") })
            #expect(!refused.output.contains { $0.text.hasPrefix("password ") }, "the app was not begun")

            try workshop.write("secrets.json", secrets, mode: 0o600)
            let dev = try workshop.dev("--secrets", workshop.path("secrets.json"), launching: app)
            try await dev.says("password", ["account=\(sum("a password of the developer"))"])
            _ = try await dev.line(containing: "secrets.json deployed: 1 password")
            var mark = dev.mark
            try workshop.write("secrets.json", #"{"passwords": {"account": "another one"}}"#, mode: 0o600)
            try await dev.says("password", ["account=\(sum("another one"))"], after: mark)
            mark = dev.mark
            #expect(unsafe chmod(workshop.path("secrets.json"), 0o644) == 0)
            try await dev.says("password", [], after: mark)
            _ = try await dev.line(containing: "the app has no secrets", after: mark)
            mark = dev.mark
            #expect(unsafe chmod(workshop.path("secrets.json"), 0o600) == 0)
            try await dev.says("password", ["account=\(sum("another one"))"], after: mark)
            #expect(!dev.output.contains { $0.text.contains("another one") })
        }
    }

    @Test func anIdentityOfTheSecretsSigns() async throws {
        try await Workshop.with { workshop in
            try FileManager.default.copyItem(
                atPath: Workshop.example("../Tests/EndToEnd/Golden/keystore.p12"), toPath: workshop.path("client.p12"))
            try workshop.own(workshop.path("client.p12"), mode: 0o600)
            try workshop.write(
                "secrets.json",
                #"{"identities": {"client": {"file": "client.p12", "password": "keystore-password"}}}"#,
                mode: 0o600)
            let dev = try workshop.dev(
                "--secrets", workshop.path("secrets.json"), launching: [try workshop.program("SecretsApp"), "follow"])
            _ = try await dev.identity("client")
        }
    }

    /// Whose configuration is whose, and that neither has the other's.
    @Test func anExtensionHasTheFileThatIsNamedAsItIs() async throws {
        try await Workshop.with { workshop in
            let name = Road.app + ".widget"
            try workshop.configure("Parks")
            try workshop.write(
                "dev/\(name).json", #"{"managedCollection": {"title": "Small", "landmarks": []}}"#)
            let dev = try workshop.dev("--extension", name, launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(containing: "== Managed Collection: Small ==")
            _ = try await dev.line(containing: "\(name).json accepted")
            #expect(!dev.output.contains { $0.text.contains("Parks") })
        }
    }

    /// No process, no socket; and the next start is one like any other.
    @Test func aKilledAgentLeavesNothingAndTheNextOneServes() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            let app = [try workshop.program("Landmarks")]
            for _ in 0..<3 {
                let dev = try workshop.dev(launching: app)
                _ = try await dev.line(containing: "default.json accepted")
                let second = try workshop.dev(launching: app)
                #expect(try await second.exit() == 1)
                try await second.drained()
                #expect(second.output.contains { $0.text.contains("served already") })
                #expect(dev.isRunning && FileManager.default.fileExists(atPath: workshop.socket))
                dev.killNow()
                try await eventually("nothing runs any more") { workshop.running().isEmpty }
                let place = (workshop.socket as NSString).deletingLastPathComponent
                try await eventually("nothing but a lock is left") {
                    try FileManager.default.contentsOfDirectory(atPath: place) == ["lock"]
                }
            }
        }
    }
}
