import AdminMessages
import ArgumentParser
import Foundation
import Testing
import martlet

/// What `martlet feedback show --since-version` asks the server for, and what it says of the answer.
struct FeedbackVersionTests {
    private static func summary(since version: Int?, of name: String? = nil, unknown: Int? = nil) -> FeedbackSummary {
        var summary = FeedbackSummary(since: Date(timeIntervalSince1970: 0), totals: [])
        summary.sinceVersion = version
        summary.configurationName = name
        summary.unknownVersions = unknown
        return summary
    }

    private static func query(_ arguments: [String]) throws -> [String] {
        try FeedbackVersionOptions.parse(arguments).query.map { "\($0.0)=\($0.1)" }
    }

    @Test func aVersionIsAskedForWithItsConfiguration() throws {
        #expect(try Self.query([]).isEmpty)
        #expect(try Self.query(["--since-version", "7"]) == ["sinceVersion=7"])
        #expect(
            try Self.query(["--since-version", "7", "--configuration", "main"])
                == ["sinceVersion=7", "configurationName=main"])
    }

    @Test(arguments: [["--configuration", "main"], ["--since-version", "0"], ["--since-version", "seven"]])
    func whatIsNoVersionIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try FeedbackVersionOptions.parse(arguments) }
    }

    /// An older server leaves the version out of account: its sums are not shown as if they were of that version.
    @Test func anOlderServersSumsAreNotTaken() throws {
        let asked = try FeedbackVersionOptions.parse(["--since-version", "7"])
        #expect(asked.failure(in: Self.summary(since: nil))?.status == .failed)
        #expect(asked.failure(in: Self.summary(since: 7, of: "main", unknown: 0)) == nil)
        #expect(try FeedbackVersionOptions.parse([]).failure(in: Self.summary(since: nil)) == nil)
    }

    /// The administrator reads how much is left out.
    @Test func whatIsLeftOutIsSaid() {
        #expect(FeedbackVersionText.note(on: Self.summary(since: nil)) == nil)
        let all = FeedbackVersionText.note(on: Self.summary(since: 7, of: "main", unknown: 0))
        #expect(all == "Only what came with main, version 7 or later, is counted.")
        let some = FeedbackVersionText.note(on: Self.summary(since: 7, of: "main", unknown: 3))
        #expect(some?.contains("3 hand-overs are left out") == true)
        let one = FeedbackVersionText.note(on: Self.summary(since: 7, of: "main", unknown: 1))
        #expect(one?.contains("1 hand-over is left out") == true)
    }
}
