import Foundation
import Testing

/// A file that a command is to read and that is not there ends every command in one way.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct MissingFileTests {
    /// Each command that reads a file; `FILE` is one that is not there, `ELSE` is one that is.
    private static let commands = [
        "app build FILE", "app inspect FILE", "app manifest FILE --url https://a.example/n.pkg",
        "app package upload FILE", "app sign FILE --certificate FILE --key FILE",
        "app specification set com.example.notes FILE", "app verify ELSE --trust FILE", "apply --directory FILE",
        "audit verify --file FILE", "configuration diff com.example.notes default --file FILE",
        "configuration set com.example.notes default --file FILE",
        "configuration try com.example.notes some-device --file FILE", "device attributes import FILE",
        "device app configure some-device com.example.notes FILE",
        "device command some-device DeviceInformation --parameters-file FILE", "device expect-all FILE",
        "group add-devices teachers --file FILE",
        "login --server https://localhost:1 --ca-file FILE --password-stdin", "person import FILE",
        "push-credential set --certificate FILE --key FILE", "secret set root --certificate FILE",
        "secret set-values pin FILE", "setting set root-certificate root FILE", "spec convert FILE",
        "spec diff FILE FILE", "spec example FILE", "spec lint FILE", "spec render FILE",
        "spec validate FILE FILE", "team add FILE",
    ]

    /// Red where some of them ended with 1, others with 3, and no reason was given.
    @Test func itIsNotFoundAndNamed() async throws {
        try await Road.with { road in
            let file = road.home.appending(path: "nowhere").path
            let other = road.home.appending(path: "else").path
            try Data("nothing of use".utf8).write(to: URL(filePath: other))
            for command in Self.commands {
                let words = command.split(separator: " ").map { word in
                    word == "FILE" ? file : word == "ELSE" ? other : String(word)
                }
                let answer = try await road.run("martlet", words, input: "")
                #expect(answer.status == 3, "\(command): \(answer)")
                #expect(answer.text.contains(file), "\(command): \(answer.text)")
            }
        }
    }

    /// Red where a directory was an unreadable file, or its reason stayed unknown.
    @Test(arguments: ["spec lint", "audit verify --file", "team add"])
    func aDirectoryIsRefused(command: String) async throws {
        let directory = FileManager.default.temporaryDirectory.path
        let answer = try await Road.answer(of: "martlet", command.split(separator: " ").map(String.init) + [directory])
        #expect(answer.status == 4, "\(answer)")
        #expect(answer.text.contains("a directory is named where a file is needed"), "\(answer.text)")
    }
}
