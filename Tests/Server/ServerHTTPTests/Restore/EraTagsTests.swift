import Foundation
import Management
import Testing

@testable import ServerHTTP

/// The tags that clients get after a restore, and which tags of clients still match.
struct EraTagsTests {
    private static let moment = Date(timeIntervalSince1970: 1_800_000_000)
    private let tags = EraTags(
        Era(id: "0123456789abcdef0123456789abcdef", copied: EraTagsTests.moment, began: EraTagsTests.moment))

    @Test(arguments: [
        ("\"v2-0123456789ab\"", "\"v2\""), ("W/\"v2-0123456789ab\"", "W/\"v2\""), ("*", "*"),
        ("\"v2\", \"v3-0123456789ab\"", "\"v3\""), ("\"a-0123456789ab\",\"b-0123456789ab\"", "\"a\", \"b\""),
    ])
    func tagsOfThisEraAreTheRoutesOwn(seen: String, known: String) {
        #expect(tags.inward(seen) == known)
    }

    /// Red if only the number counts: a change meant for a lost version would change another one.
    @Test(arguments: ["\"v2\"", "W/\"v2\"", "\"v2-ba9876543210\"", "\"v2\", \"v3\"", "\"-0123456789a\""])
    func tagsOfOthersNameNothing(seen: String) {
        #expect(tags.inward(seen) == "\"-\"")
        #expect(EntityTag.version(in: tags.inward(seen)) == nil)
    }

    /// A cursor keeps its text, whichever characters it ends with.
    @Test(arguments: ["17", "", "Gr\u{FC}n", "a\u{600}", "e\u{301}", "-"])
    func aCursorComesBackAsItWas(cursor: String) throws {
        let given = try #require(tags.outward(cursor: cursor))
        let known = try tags.inward(cursor: given)
        #expect(known.map { Array($0.utf8) } == Array(cursor.utf8))
        #expect(throws: HTTPProblem.self) { try tags.inward(cursor: cursor) }
        #expect(try EraTags(nil).outward(cursor: cursor) == EraTags(nil).inward(cursor: cursor))
    }

    /// The condition reaches the routes unchanged, which refuse it.
    @Test(arguments: ["v2", "", ",", "\"v2", "*, \"v2\""])
    func whatIsNoListStays(seen: String) {
        #expect(tags.inward(seen) == seen)
    }

    @Test(arguments: ["\"v2\"", "\"v2-0123456789ab\"", "*", "v2"])
    func withoutARestoreEachTagStays(seen: String) {
        #expect(EraTags(nil).inward(seen) == seen)
    }
}
