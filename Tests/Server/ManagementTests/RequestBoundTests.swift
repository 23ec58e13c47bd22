import Foundation
import GRDB
import Management
import Testing

/// How much is kept of requests that may be sent again.
struct RequestBoundTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func begin(_ text: String) async throws -> RequestTurn {
        try await fixture.management.begin(
            try #require(RequestKey(text, of: "anna")), fingerprint: Data([1]))
    }

    /// A larger answer than is kept leaves nothing: the request may be sent again.
    @Test func anAnswerThatIsTooLargeIsNotKept() async throws {
        for (extra, isKept) in [(0, true), (1, false)] {
            let key = try #require(RequestKey("k\(extra)", of: "anna"))
            _ = try await begin("k\(extra)")
            let answer = Data(repeating: 7, count: RequestLimits.answerBytes + extra)
            try await fixture.management.keep(answer, to: key)
            #expect((try await begin("k\(extra)") == .repeated(answer)) == isKept)
        }
    }

    /// Of one principal's the oldest answers go; what is being carried out stays, and so do others'.
    @Test func beyondTheBoundTheOldestAnswersOfWhoAsksAreForgotten() async throws {
        try await fixture.betweenServers { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < :last)
                    INSERT INTO request (digest, principal, fingerprint, begun, life, changed, master_key, answer)
                    SELECT CAST('d' || n AS BLOB), iif(n = 3, 'ben', 'anna'), X'01', :begun + n, X'02', 1,
                        iif(n = 0, NULL, 'k'), iif(n = 0, NULL, X'03') FROM n
                    """,
                arguments: [
                    "last": RequestLimits.most, "begun": Int(Fixture.start.timeIntervalSince1970) - 20_000,
                ])
        }
        for text in ["one", "two", "three"] {
            guard case .first = try await begin(text) else {
                Issue.record("\(text) is not begun")
                return
            }
        }
        try await fixture.betweenServers { db in
            let left = try String.fetchAll(
                db, sql: "SELECT CAST(digest AS TEXT) FROM request WHERE answer IS NULL OR begun < ?",
                arguments: [Int(Fixture.start.timeIntervalSince1970) - 20_000 + 6])
            // `d0` is being carried out; `d1` and `d2` were Anna's oldest answers; `d3` is Ben's.
            #expect(Set(left).isSuperset(of: ["d0", "d3", "d4", "d5"]))
            #expect(Set(left).isDisjoint(with: ["d1", "d2"]))
        }
    }
}
