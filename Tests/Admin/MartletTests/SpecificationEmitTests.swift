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
        #expect(failure.reason == "the program printed no specification")
        #expect(failure.advice?.contains("emitIfAsked") == true)
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
