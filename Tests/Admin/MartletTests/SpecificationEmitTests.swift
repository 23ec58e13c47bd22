import ArgumentParser
import Testing

@testable import martlet

/// What `martlet spec emit` says of a program that prints no specification.
@Suite struct SpecificationEmitTests {
    /// Red where line and column of nothing came before what to do.
    @Test func aProgramThatPrintsNothingIsAnsweredInOneSentence() async throws {
        let command = try SpecificationEmit.parse(["/bin/true"])
        let found = try await Self.failure(of: command)
        let failure = try #require(found)
        #expect(failure.status == .refused)
        #expect(failure.reason == "the program /bin/true printed no specification")
        #expect(failure.advice?.contains("emitIfAsked") == true)
    }

    /// Red where each of them was only "the program cannot be started".
    @Test(arguments: [
        ("/nowhere/program", EndStatus.notFound, "there is no such file"),
        ("/usr/bin", .refused, "it is a directory"),
        ("/etc/passwd", .refused, "you may not execute it"),
    ])
    func whatIsNoProgramIsNamed(path: String, status: EndStatus, why: String) {
        let failure = #expect(throws: Failure.self) { try PrintedSpecification.read(from: path, patience: 60) }
        #expect(failure?.status == status)
        #expect(failure?.reason == "the program \(path) cannot be started: \(why)")
    }

    private static func failure(of command: SpecificationEmit) async throws -> Failure? {
        do {
            try await command.run()
            return nil
        } catch let failure as Failure {
            return failure
        }
    }
}
