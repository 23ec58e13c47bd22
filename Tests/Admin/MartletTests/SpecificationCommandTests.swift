import AppSpecification
import Foundation
import Testing
import martlet

/// `martlet spec emit` and `martlet spec diff` with unsuitable programs and files.
struct SpecificationCommandTests {
    /// Red where only the program ends: its child then holds the output open for as long as it runs.
    @Test(.timeLimit(.minutes(5))) func aProgramThatDoesNotEmitEndsWithItsChild() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-emit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let program = directory.appending(path: "app").path
        // Another process writes the file: a file that this process has open for writing cannot be started.
        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = [
            "-c",
            #"printf '%s\n' '#!/bin/sh' "trap '' TERM" 'sleep 600 &' 'wait' > "$0" && chmod 700 "$0""#, program,
        ]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationStatus == 0)
        #expect(try PrintedSpecification.read(from: program, patience: 0.5).isEmpty)
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
