import Foundation
import Testing

/// What `make test` says at its end: which tests failed, and why.
@Suite(.timeLimit(.minutes(10))) struct TestReportTests {
    /// A run as Swift Testing tells it; the crosses are put in, so that nobody takes this file's words for a failure.
    private static let begun = """
        ◇ Suite SumTests started.
        ◇ Test "sums are right" started.
        ◇ Test differences(seed:) started.
        ◇ Test case passing 1 argument seed → 1 to differences(seed:) started.
        X Test "sums are right" recorded an issue at SumTests.swift:7:9: Expectation failed: it said
        two lines
        ↳ because it was late
        ✔ Test other() passed after 0.1 seconds.

        """
    private static let ended = """
        ✔ Test differences(seed:) with 1 test case passed after 0.1 seconds.
        X Test "sums are right" failed after 0.2 seconds with 1 issue.
        X Test run with 3 tests in 1 suite failed after 0.3 seconds with 1 issue.

        """

    private func run(_ command: String, seconds: Int = 600, _ recorded: String...) async throws -> (Int32, String) {
        let run = try await TestScriptRun(command, recorded.map { $0.replacing("X ", with: "✘ ") }, seconds: seconds)
        return (run.status, run.text)
    }

    @Test func whatFailedIsSaidAgainAtTheEnd() async throws {
        let (status, text) = try await run("printf %s \"$1$2\"; exit 3", Self.begun, Self.ended)
        #expect(status == 3)
        let said = (Self.begun + Self.ended).replacing("X ", with: "✘ ")
        #expect(text.hasPrefix(said))
        #expect(
            text.dropFirst(said.count).replacing("✘ ", with: "X ") == """
                test: ended with 3; what failed, again:
                X Test "sums are right" recorded an issue at SumTests.swift:7:9: Expectation failed: it said
                two lines
                ↳ because it was late
                test: in short:
                X Test "sums are right" recorded an issue at SumTests.swift:7:9: Expectation failed: it said
                X Test "sums are right" failed after 0.2 seconds with 1 issue.
                X Test run with 3 tests in 1 suite failed after 0.3 seconds with 1 issue.

                """)
    }

    @Test func coloursAreLookedThrough() async throws {
        let coloured = Self.begun.replacing("X Test", with: "\u{1b}[91mX \u{1b}[0mTest")
            .replacing("◇ Test", with: "\u{1b}[90m◇\u{1b}[0m Test")
        let (status, text) = try await run("printf %s \"$1\"; exit 1", coloured)
        #expect(status == 1)
        #expect(text.contains("begun and not ended: 2\n   \"sums are right\", after "))
        #expect(text.replacing("✘ ", with: "X ").contains("again:\nX Test \"sums are right\" recorded an issue at"))
    }

    @Test func aRunThatPassedIsPassedOnAsItIs() async throws {
        let (status, text) = try await run("printf %s \"$1\"", Self.begun)
        #expect(status == 0)
        #expect(text == Self.begun.replacing("X ", with: "✘ "))
    }

    @Test func aRunThatCrashedNamesWhatItWasAt() async throws {
        let (status, text) = try await run(
            "printf %s \"$1\"; echo 'Sums/Sum.swift:3: Fatal error: Overflow'; kill -SEGV $$", Self.begun)
        #expect(status == 128 + SIGSEGV)
        let told = try #require(text.ranges(of: "ended by signal 11").last.map { text[$0.upperBound...] })
        #expect(told.contains("because it was late"))
        #expect(told.contains("Fatal error: Overflow"))
        #expect(told.contains("begun and not ended: 2\n   \"sums are right\", after "))
        #expect(told.contains("   differences(seed:), after "))
        #expect(!told.contains("other()"))
    }

    /// Nor is anything waited for that was left running and has the output open.
    @Test func aRunThatHangsIsEndedAndNamesWhatItWasAt() async throws {
        let (status, text) = try await run("sleep 3600 & sleep 3600", seconds: 1)
        #expect(status == 124)
        #expect(text.contains("test: ended after 1 s, which is all its time"))
        #expect(text.contains("begun and not ended: 0"))
    }

    /// One failure of many lines leaves room for the others, and a thousand failures for their number.
    @Test func theAccountIsBounded() async throws {
        let (status, text) = try await run(
            """
            for i in {1..500}; do
                echo "✘ Test t$i() recorded an issue at T.swift:1:1: no"; printf 'line %s\\n' {1..50}
                echo "✘ Test t$i() failed after 0.1 seconds with 1 issue."
            done; exit 1
            """)
        #expect(status == 1)
        let told = text.split(separator: "test: ended with 1").last?.split(separator: "\n") ?? []
        #expect((200...340).contains(told.count), "\(told.count)")
        #expect(told.contains("test: 490 more are above"))
        #expect(told.contains("test: 400 more failed"))
    }
}
