import Foundation
import Testing

/// A test that fails beside all others and passes alone is named as unsteady; every other failure stays one.
@Suite(.timeLimit(.minutes(10))) struct UnsteadyTests {
    /// Crosses are put in only when it runs, so that nobody takes this file's words for a failure.
    private static func failure(of names: [String]) -> String {
        names.map { name in
            """
            X Test \(name) recorded an issue with 1 argument seed → 1 at SumTests.swift:7:9: Expectation failed: it said
            two lines
            X Test \(name) failed after 0.2 seconds with 1 issue.

            """
        }.joined() + "X Test run with 9 tests in 1 suite failed after 0.3 seconds with \(names.count) issues.\n"
    }

    /// Runs a command that fails as told with all tests, and does what `alone` says when it has the filter of one.
    private func run(
        _ first: String, alone: String, options: [String] = [], sources: [String: String] = [:],
        arguments: [String] = []
    ) async throws -> TestScriptRun {
        try await TestScriptRun(
            """
            case "$*" in *--no-parallel*) echo "alone: ${@:2}"; \(alone);; esac
            printf %s "$1"; exit 1
            """, [first.replacing("X ", with: "✘ ")] + arguments, options: options, sources: sources)
    }

    private static let passes = "echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.'; exit 0"
    private static let fails = "echo '✘ Test run with 1 test in 1 suite failed after 0.1 seconds with 1 issue.'; exit 1"

    @Test func whatPassesAloneIsUnsteadyAndItsFailureIsKept() async throws {
        let run = try await run(Self.failure(of: ["sums(seed:)", "differences()"]), alone: Self.passes)
        #expect(run.status == 0, "\(run.text)")
        #expect(
            run.text.hasSuffix(
                """
                UNSTEADY sums(seed:): Expectation failed: it said
                UNSTEADY differences(): Expectation failed: it said

                """))
        #expect(run.text.contains("alone: --no-parallel --filter [./]sums\\("))
        #expect(run.kept.keys.sorted() == ["differences.txt", "sums.txt"])
        #expect(run.kept["sums.txt"]?.contains("it said\ntwo lines\n") == true)
    }

    @Test func itsFilterTakesThePlaceOfThatOfAll() async throws {
        let run = try await run(
            Self.failure(of: ["sums()"]), alone: Self.passes,
            arguments: [
                "test", "--filter", "Road", "--skip", "Other", "--experimental-maximum-parallelization-width", "8",
            ])
        #expect(run.status == 0)
        #expect(run.text.contains("alone: test --no-parallel --filter [./]sums\\("))
    }

    @Test func whatFailsTwiceFails() async throws {
        let run = try await run(Self.failure(of: ["sums()"]), alone: Self.fails)
        #expect(run.status == 1)
        #expect(!run.text.contains("UNSTEADY"))
    }

    /// A filter that finds nothing has shown nothing.
    @Test func whatIsNotRunAgainFails() async throws {
        let run = try await run(
            Self.failure(of: ["sums()"]),
            alone: "echo '✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.'; exit 0")
        #expect(run.status == 1)
    }

    @Test(arguments: [
        "four of them": failure(of: ["a()", "b()", "c()", "d()"]),
        "an issue of no test": "X Suite SumTests recorded an issue at S.swift:1:1: no\n" + failure(of: ["sums()"]),
        "a run without an end": String(failure(of: ["sums()"]).split(separator: "X Test run with")[0]),
    ])
    func whatOneMoreRunWouldNotExcuseIsNotTriedAgain(what: String, first: String) async throws {
        let run = try await run(first, alone: Self.passes)
        #expect(run.status == 1)
        #expect(!run.text.contains("alone: "), "\(what)")
    }

    @Test func theStrictTryNothingAgain() async throws {
        let run = try await run(Self.failure(of: ["sums()"]), alone: Self.passes, options: ["--strict"])
        #expect(run.status == 1)
        #expect(!run.text.contains("alone: "))
    }

    @Test func aTestThatHasATitleIsFoundByIt() async throws {
        let source = """
            @Test("sums are right", arguments: [1])
            func sumsAreRight(seed: Int) {}
            @Test func other() {}
            """
        let run = try await run(
            Self.failure(of: [#""sums are right""#]), alone: Self.passes, sources: ["Sums.swift": source])
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("--filter [./]sumsAreRight\\("))
        let unknown = try await self.run(Self.failure(of: [#""sums are right""#]), alone: Self.passes)
        #expect(unknown.status == 1)
    }
}
