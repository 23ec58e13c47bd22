import AppMessages
import Foundation
import ManagedAppLegacy
import Testing

struct ParsedDictionaryTests {
    private static func nested(_ depth: Int) -> [String: Any] {
        var value: [String: Any] = ["n": 1]
        for _ in 1..<depth { value = ["deeper": value] }
        return value
    }

    @Test func whatItTakesItAlsoReads() throws {
        let taken: [String: Any] = [
            "text": "ä", "count": 3, "share": 0.5, "flag": true,
            "when": Date(timeIntervalSince1970: 9), "list": [1, 2], "data": Data([1]), "inner": ["a": "b"],
        ]
        let value = try ParsedDictionary(checking: taken)
        let read = try #require(ParsedDictionary(parsing: value.data)).dictionary
        #expect(read["text"] as? String == "ä")
        #expect(read["count"] as? Int == 3)
        #expect(read["flag"] as? Bool == true)
        #expect(read["list"] as? [Int] == [1, 2])
        #expect((read["inner"] as? [String: Any])?["a"] as? String == "b")
    }

    @Test func eightDeepIsTheDeepest() throws {
        _ = try ParsedDictionary(checking: Self.nested(FeedbackBounds.depth))
        #expect(throws: ManagedAppFeedbackError.tooDeep) {
            try ParsedDictionary(checking: Self.nested(FeedbackBounds.depth + 1))
        }
    }

    @Test func anArrayIsALevelToo() {
        var value: Any = [1]
        for _ in 1..<100 { value = [value] }
        let list: [String: Any] = ["list": value]
        #expect(throws: ManagedAppFeedbackError.tooDeep) { try ParsedDictionary(checking: list) }
    }

    @Test func sixteenKibibytesAreTheMost() throws {
        _ = try ParsedDictionary(checking: ["text": String(repeating: "a", count: FeedbackBounds.bytes - 200)])
        #expect(throws: ManagedAppFeedbackError.self) {
            try ParsedDictionary(checking: ["text": String(repeating: "a", count: FeedbackBounds.bytes)])
        }
    }

    /// Red where a repeated text counts once: the receiver counts it each time.
    @Test func aTextThatIsThereOftenCountsEachTime() {
        let text = String(repeating: "a", count: 200)
        let error = #expect(throws: ManagedAppFeedbackError.self) {
            try ParsedDictionary(checking: ["texts": Array(repeating: text, count: 200)])
        }
        guard case .tooLarge? = error else {
            Issue.record("not too large, but \(String(describing: error))")
            return
        }
    }

    @Test func whatNoPropertyListHoldsIsRefused() {
        #expect(throws: ManagedAppFeedbackError.notAPropertyList) {
            try ParsedDictionary(checking: ["nothing": NSNull()])
        }
        #expect(throws: ManagedAppFeedbackError.notAPropertyList) {
            try ParsedDictionary(checking: ["url": URL(filePath: "/tmp")])
        }
    }

    @Test(arguments: ["", "not a list", "bplist00", "<plist><array/></plist>"])
    func whatIsNoDictionaryIsNotRead(text: String) {
        #expect(ParsedDictionary(parsing: Data(text.utf8)) == nil)
    }
}
