import AppSpecification
import Foundation
import Testing
import Waiting
import martlet

/// `martlet spec emit` and `martlet spec diff` with unsuitable programs and files.
struct SpecificationCommandTests {
    /// Red where only the program ends: its child then holds the output open for as long as it runs.
    ///
    /// Reading ends once the child is there, however late the shell begins.
    @Test(.timeLimit(.minutes(5))) func aProgramThatDoesNotEmitEndsWithItsChild() async throws {
        var child: Int32?
        try Self.with(script: ["trap '' TERM", "sleep 600 &", #"echo $! > "$0.child""#, "wait"]) { program in
            let printed = try PrintedSpecification.read(from: program) { Self.number(in: program + ".child") != nil }
            #expect(printed.isEmpty)
            child = Self.number(in: program + ".child")
        }
        let number = try #require(child)
        try await eventually("the child has ended") { Self.hasEnded(number) }
    }

    /// Red where the output is read to its end: a process in a session of its own holds it open for as long as it runs.
    ///
    /// A program that has ended is not waited for, and one that waits for such a process no longer than any other.
    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func aProcessThatLeftTheProgramsGroupIsNotWaitedFor(hasEnded: Bool) throws {
        let script = ["echo printed", "setsid sleep 600 &", #"echo $! > "$0.left""#, hasEnded ? "exit" : "wait"]
        try Self.with(script: script) { program in
            let bytes = try PrintedSpecification.read(from: program) {
                !hasEnded && Self.number(in: program + ".left") != nil
            }
            let left = try #require(Self.number(in: program + ".left"))
            kill(left, SIGKILL)
            // Of one that goes on, reading may end before the first look at what it printed.
            if hasEnded { #expect(bytes == Data("printed\n".utf8)) }
        }
    }

    /// The bound of the command itself is one of time.
    ///
    /// Red where it is not kept: the program then ends by itself and has printed something.
    @Test(.timeLimit(.minutes(5))) func patienceEndsToo() throws {
        try Self.with(script: ["sleep 20", "echo late"]) { program in
            let printed = try PrintedSpecification.read(from: program, patience: 0.1)
            #expect(printed.isEmpty)
        }
    }

    /// The number that a script wrote into a file, once it is there with the end of its line.
    private static func number(in file: String) -> Int32? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8), text.hasSuffix("\n") else { return nil }
        return Int32(text.dropLast())
    }

    /// Whether a process is over, also one that nobody has asked about yet.
    private static func hasEnded(_ number: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else { return true }
        return status.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    private static func with(script lines: [String], _ body: (_ program: String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-emit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let program = directory.appending(path: "app").path
        // Another process writes the file: a file that this process has open for writing cannot be started.
        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = [
            "-c", #"printf '%s\n' "$1" > "$0" && chmod 700 "$0""#, program,
            (["#!/bin/sh"] + lines).joined(separator: "\n"),
        ]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationStatus == 0)
        try body(program)
    }

    @Test func whatAProgramPrintsIsRead() throws {
        #expect(try PrintedSpecification.read(from: "/bin/pwd", patience: 60).isEmpty == false)
        #expect(throws: Failure.self) {
            try PrintedSpecification.read(from: "/nowhere/program", patience: 60)
        }
    }

    @Test func aDifferenceOfTwoAppsSaysSo() throws {
        func specification(_ identifier: String) throws -> AppSpecification {
            try AppSpecification(parsing: Data(#"{"x-app": {"bundleIdentifier": "\#(identifier)"}}"#.utf8))
        }
        let (one, other) = (try specification("com.example.one"), try specification("com.example.other"))
        #expect(DifferenceText.warning(one, one) == nil)
        let warning = try #require(DifferenceText.warning(one, other))
        #expect(warning.contains("two different apps, com.example.one and com.example.other"))
    }
}
