import Foundation
import GuideBlocks
import Testing

/// A server without its master key: it reports that, and goes on without its secrets on request.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct LostMasterKeyTests {
    /// Red where the key on record did not count before there was a secret: `check` said `whole`, and a start made
    /// another key, which was in the way of the one of before.
    @Test func aRestoreWithoutTheKeyIsNotWholeAndDoesNotStart() async throws {
        try await Road.with { road in
            let backup = road.home.path + "/backup"
            #expect(try await Self.operate(road, "backup", backup).status == 0)
            try await road.stop(try road.server)
            let former = road.home.appending(path: "former")
            try FileManager.default.moveItem(atPath: road.serverDirectory, toPath: former.path)
            let restored = try await Self.operate(road, "restore", backup)
            #expect(restored.status == 0 && restored.text.contains("forget-secrets"), "\(restored.text)")

            let checked = try await Self.operate(road, "check")
            #expect(checked.status == 1 && checked.text.contains("forget-secrets"), "\(checked.text)")
            let key = road.serverDirectory + "/master.key"
            let start = try await Self.operate(road, "run", "--port", "0")
            #expect(start.status == 1 && start.text.contains("under a master key that is not here"), "\(start.text)")
            #expect(!FileManager.default.fileExists(atPath: key), "no other key is made in silence")

            try await road.shell("umask 077 && head -c 32 /dev/urandom | base64 > server/master.key")
            for command in [["check"], ["run", "--port", "0"]] {
                let other = try await Self.operate(road, command)
                #expect(
                    other.status == 1 && other.text.contains("under a master key that is not here"), "\(other.text)")
            }
            try FileManager.default.removeItem(atPath: key)
            try FileManager.default.copyItem(at: former.appending(path: "master.key"), to: URL(filePath: key))
            #expect(try await Self.operate(road, "check").text == "whole")
            try await road.startServer()
        }
    }

    /// Red where there was no way on but another data directory.
    @Test func withoutTheKeyTheServerGoesOnWhenItIsTold() async throws {
        try await Road.with { road in
            try await road.setPassword("account", "kept under the key that is lost")
            let url = "https://tickets.example.com/martlet"
            try await road.martlet("webhook", "add", "tickets", "--url", url, "--event", "group.*")
            try await road.stop(try road.server)
            let nothing = try await Self.operate(road, "forget-secrets", "--confirm")
            #expect(nothing.status == 0 && nothing.text.contains("there is nothing to forget"), "\(nothing.text)")
            try FileManager.default.removeItem(atPath: road.serverDirectory + "/master.key")

            let listed = try await Self.operate(road, "forget-secrets")
            #expect(listed.status == 0 && listed.text.contains("secret account"), "\(listed.text)")
            #expect(listed.text.contains("nothing was changed"), "\(listed.text)")
            #expect(try await Self.operate(road, "run", "--port", "0").status == 1)
            let forgotten = try await Self.operate(road, "forget-secrets", "--confirm")
            #expect(forgotten.status == 0 && forgotten.text.contains("secret account"), "\(forgotten.text)")

            try await road.startServer()
            for action in ["secret.forget", "master-key.forget"] {
                #expect(try await road.martlet("audit", "list", "--action", action).contains("operator"), "\(action)")
            }
            let lack = "has no value: set it again"
            for view in [["secret", "list"], ["secret", "show", "account"], ["overview"]] {
                let shown = try await road.run("martlet", view)
                #expect(shown.text.contains("account") && shown.text.contains(lack), "\(view): \(shown.text)")
            }
            // Red where an administrator was said to have disabled the webhook, and nothing named the remedy.
            let webhooks = try await road.martlet("webhook", "list")
            #expect(webhooks.contains("disabled, secret-forgotten: martlet webhook rotate tickets"), "\(webhooks)")
            let enabled = try await road.martlet("webhook", "set", "tickets", "--enable", status: 4)
            #expect(enabled.contains("A new secret enables it"), "\(enabled)")
            let rotated = try await road.martlet("webhook", "rotate", "tickets")
            #expect(rotated.contains("active") && rotated.contains("whsec_"), "\(rotated)")
            try await road.setPassword("account", "set anew")
            let anew = try await road.martlet("secret", "list")
            #expect(anew.contains("account") && !anew.contains(lack), "\(anew)")
            #expect(try await Self.operate(road, "check").text == "whole")
            try await road.stop(try road.server)
            try await road.startServer()
        }
    }

    /// The page "Something is wrong" shows what `martlet-server check` and `martlet-server run` print without the key.
    @Test func thePageShowsWhatIsPrintedWithoutTheKey() async throws {
        let blocks = try Guide.all().filter { $0.name == "SomethingIsWrong" }.flatMap(\.blocks)
            .filter { $0.note("done by") == "Tests/EndToEnd/LostMasterKeyTests.swift" }
        let shown = blocks.flatMap(\.commands)
        try #require(shown.map(\.command) == ["martlet-server check", "martlet-server run"])
        try await Road.with { road in
            try await road.setPassword("account", "kept under the key that is lost")
            try await road.stop(try road.server)
            try FileManager.default.removeItem(atPath: road.serverDirectory + "/master.key")
            for (command, promised) in shown {
                let words = command.split(separator: " ").dropFirst().map(String.init)
                let result = try await Self.operate(road, words + (words == ["run"] ? ["--port", "0"] : []))
                #expect(result.status == 1 && !promised.isEmpty, "\(command): \(result.text)")
                for line in promised { #expect(GuideBlock.says(line, in: result.text), "\(command): \(result.text)") }
            }
        }
    }

    /// Red where the refusal named no file and no remedy, and other bytes than text were "in the data directory".
    @Test func aMasterKeyThatIsNoneIsNamedWithTheRemedy() async throws {
        try await Road.with { road in
            try await road.setPassword("account", "kept under the key that is lost")
            try await road.stop(try road.server)
            let key = road.serverDirectory + "/master.key"
            for (bytes, found) in [
                (Data(), "is empty (0 bytes)"), (Data("# nothing\n".utf8), "holds no master key (10 bytes)"),
                (Data("junk\n".utf8), "holds something other than a master key"),
                (Data([0xFF, 0xFE, 0x00, 0x80]), "holds something other than a master key"),
            ] {
                try bytes.write(to: URL(filePath: key))
                for command in [["check"], ["run", "--port", "0"], ["rekey"], ["forget-secrets"]] {
                    let refused = try await Self.operate(road, command)
                    #expect(refused.status == 1, "\(command)")
                    #expect(refused.text.contains("the file \(key) of the master key \(found)"), "\(refused.text)")
                    #expect(refused.text.contains("put the copy of the key there"), "\(refused.text)")
                }
            }
            // The remedy that is named for a key without a copy.
            try FileManager.default.removeItem(atPath: key)
            let forgotten = try await Self.operate(road, "forget-secrets", "--confirm")
            #expect(forgotten.status == 0, "\(forgotten.text)")
            try await road.startServer()
        }
    }

    /// Red where every command made the directory that it was to look at.
    @Test func whatLooksAtADirectoryMakesNone() async throws {
        try await Road.with { road in
            let place = road.home.path + "/nowhere"
            for command in [["check"], ["backup", "copy"], ["rekey"], ["reset-admin-password"], ["forget-secrets"]] {
                let result = try await road.run("martlet-server", command + ["--data-directory", place])
                #expect(result.status == 1 && result.text.contains("there is no data directory"), "\(result.text)")
                #expect(!FileManager.default.fileExists(atPath: place), "\(command)")
            }
        }
    }

    /// Red where a backup said that everything but the master key was in it.
    @Test func aBackupNamesWhatItLeavesOut() async throws {
        try await Road.with { road in
            try Data("ours\n".utf8).write(to: URL(filePath: road.serverDirectory + "/notes.txt"))
            let made = try await Self.operate(road, "backup", road.home.path + "/backup")
            for words in ["the master key is not in it", "the server's certificate is not in it", "notes.txt"] {
                #expect(made.text.contains(words), "\(made.text)")
            }
            #expect(!made.text.contains("issued-server.pem"), "\(made.text)")
        }
    }

    private static func operate(_ road: Road, _ arguments: String...) async throws -> (status: Int32, text: String) {
        try await operate(road, arguments)
    }

    private static func operate(_ road: Road, _ arguments: [String]) async throws -> (status: Int32, text: String) {
        try await road.run("martlet-server", arguments + ["--data-directory", road.serverDirectory])
    }
}
