import Foundation
import Testing

/// A command says what it could not write, to its standard output or to a file, and why.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct LostOutputTests {
    private static let loss = "the output could not be written: No space left on device"
    private static let changed = "The change was made, and its output is lost"
    private static let unchanged = "Nothing was changed on the server."
    /// What the server's and the agent's program say of any command.
    private static let worked = "The command did its work; only its output is lost."

    /// One command, and what the loss of its output means.
    private struct Command {
        let program: String
        let words: String
        let meaning: String
        var isOfDataDirectory = false

        var text: String { "\(program) \(words)" }
    }

    private static let reading: [Command] = [
        "audit list", "audit export", "health", "group list --json", "--version", "--help", "group --help",
    ].map { Command(program: "martlet", words: $0, meaning: unchanged) }

    private static let changing: [Command] = [
        "enrollment-code create --group teachers", "token create ci --role reader --valid 1h --json",
        "group create parents",
    ].map { Command(program: "martlet", words: $0, meaning: changed) }

    private static let operating: [Command] = ["check", "backup copy", "rekey"].map {
        Command(program: "martlet-server", words: $0, meaning: worked, isOfDataDirectory: true)
    }

    private static let helping: [Command] = [
        Command(program: "martlet-server", words: "--version", meaning: worked),
        Command(program: "martlet-server", words: "backup --help", meaning: worked),
        Command(program: "martlet-agent", words: "--version", meaning: worked),
        Command(program: "martlet-agent", words: "--help", meaning: worked),
    ]

    /// Red where each of them ended with 0 and nobody learned the code.
    @Test func aCommandFailsIfItsOutputIsLost() async throws {
        try await Road.with { road in
            for command in Self.reading + Self.changing + Self.operating + Self.helping {
                let directory = command.isOfDataDirectory ? ["--data-directory", road.serverDirectory] : []
                let words = command.words.split(separator: " ").map(String.init) + directory
                let answer = try await Self.run(road, command.program, words, by: #"exec "$@" >/dev/full"#)
                #expect(answer.status == 1, "\(command.text): \(answer)")
                #expect(answer.text.contains(Self.loss), "\(command.text): \(answer.text)")
                #expect(answer.text.contains(command.meaning), "\(command.text): \(answer.text)")
            }
            // What they do is done.
            let groups = try await road.martlet("group", "list")
            #expect(groups.contains("parents"))
            #expect(FileManager.default.fileExists(atPath: road.home.appending(path: "copy").path))
        }
    }

    /// Red where a program that asked for JSON got text.
    @Test func aProgramIsToldInJSON() async throws {
        try await Road.with { road in
            let answer = try await Self.run(road, "martlet", ["health", "--json"], by: #"exec "$@" >/dev/full"#)
            let told = try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
            let error = try #require(told["error"] as? [String: String])
            #expect(error["status"] == "failed" && error["reason"] == Self.loss, "\(answer)")
        }
    }

    /// Red where `audit export | head` blamed the server; the other commands never complained.
    @Test(arguments: ["audit list", "audit export", "--help"])
    func aReaderThatLeavesIsNoFault(_ words: String) async throws {
        try await Road.with { road in
            let answer = try await Self.run(
                road, "martlet", words.split(separator: " ").map(String.init), by: #""$@" | true"#)
            #expect(answer.text.isEmpty, "\(answer.text)")
        }
    }

    /// Red where `audit export` said of a full disk that the server is not reachable, and others gave no reason.
    @Test func aFileThatCannotBeWrittenIsNamedWithTheReason() async throws {
        try await Road.with { road in
            try road.installLandmarks()
            let specification = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Examples/Landmarks/specification.json").standardizedFileURL.path
            let folder = road.home.appending(path: "files")
            let file = folder.appending(path: "file").path
            let commands = [
                (["audit", "export", "--output", file], file),
                (["spec", "convert", specification, "--output", file], file),
                (["app", "build", road.home.appending(path: "apps/Landmarks.app").path, "--output", file], file),
                (["export", folder.appending(path: "fleet").path], folder.appending(path: "fleet/martlet.json").path),
            ]
            // A write beyond the limit fails as one to a full disk does.
            let limited = #"trap '' XFSZ; ulimit -f 0; exec "$@""#
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (words, path) in commands {
                let answer = try await Self.run(road, "martlet", words, by: limited)
                #expect(answer.status == 1, "\(words): \(answer)")
                #expect(answer.text.contains("\(path) cannot be written: File too large"), "\(words): \(answer.text)")
            }
            let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(left == ["fleet"])

            let nowhere = folder.appending(path: "nowhere/file").path
            let answer = try await road.run("martlet", ["audit", "export", "--output", nowhere])
            #expect(answer.status == 1)
            #expect(answer.text.contains("\(nowhere) cannot be written: No such file or directory"), "\(answer.text)")
        }
    }

    /// Red where `--output -` made a file of that name, and a device was "there already" or was replaced by a file.
    @Test func standardOutputAndDevicesAreWrittenToAsTheyAre() async throws {
        try await Road.with { road in
            let export = ["audit", "export", "--output"]
            for name in ["-", "/dev/stdout"] {
                let answer = try await Self.run(road, "martlet", export + [name], by: #"exec "$@""#)
                #expect(answer.status == 0 && answer.text.contains("\"martletAudit\""), "\(name): \(answer)")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: road.home.path)
            #expect(!left.contains("-"))
            let dropped = try await road.run("martlet", export + ["/dev/null", "--replace"])
            #expect(dropped.status == 0, "\(dropped.text)")
            let full = try await road.run("martlet", export + ["/dev/full"])
            #expect(full.status == 1, "\(full.text)")
            #expect(full.text.contains("/dev/full cannot be written: No space left on device"), "\(full.text)")
            for device in ["/dev/null", "/dev/full"] {
                let facts = try FileManager.default.attributesOfItem(atPath: device)
                #expect(facts[.type] as? FileAttributeType == .typeCharacterSpecial, "\(device) is still one")
            }
            try road.installLandmarks()
            let app = road.home.appending(path: "apps/Landmarks.app").path
            for place in ["/dev/null", "-"] {
                let build = try await road.run("martlet", ["app", "build", app, "--output", place, "--replace"])
                #expect(build.status == 4, "a package is a whole file: \(build.text)")
            }
        }
    }

    /// Runs a program by a script, to which the program and its arguments are given.
    private static func run(
        _ road: Road, _ program: String, _ arguments: [String], by script: String
    ) async throws -> (status: Int32?, text: String) {
        let process = try RunningProcess(
            program, URL(filePath: "/bin/sh"),
            ["-c", "cd '\(road.home.path)' && \(script)", "sh", Road.binary(program).path] + arguments,
            environment: Road.environment(road.home))
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }
}
