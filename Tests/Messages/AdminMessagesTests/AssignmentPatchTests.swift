import AdminMessages
import Foundation
import Testing

/// A merge patch of an assignment: what it does not mention, what it takes away, and what it sets.
struct AssignmentPatchTests {
    /// Red: a member that was `null` and one that was not there were the same.
    @Test(arguments: [
        ("{}", AssignmentPatch()),
        (#"{"configuration":null,"priority":3}"#, AssignmentPatch(configuration: .goes, priority: .becomes(3))),
        (
            #"{"install":"optional","lowestTrust":null}"#,
            AssignmentPatch(lowestTrust: .goes, install: .becomes("optional"))
        ),
        (#"{"extensions":null,"priority":null}"#, AssignmentPatch(extensions: .goes, priority: .goes)),
        (#"{"delivery":"both"}"#, AssignmentPatch(delivery: .becomes("both"))),
        (
            #"{"extensions":{"a.b.x":null,"a.b.y":"main"}}"#,
            AssignmentPatch(extensions: .becomes(["a.b.x": .goes, "a.b.y": .becomes("main")]))
        ),
    ])
    func isReadAndWrittenAsItIsMeant(text: String, patch: AssignmentPatch) throws {
        #expect(try AdminJSON.decode(AssignmentPatch.self, from: Data(text.utf8)) == patch)
        #expect(String(decoding: try AdminJSON.encode(patch), as: UTF8.self) == text)
    }

    @Test(arguments: [#"{"priority":"3"}"#, #"{"configuration":1}"#, #"{"extensions":{"a.b.x":[]}}"#])
    func takesNothingOfAnotherType(text: String) {
        #expect(throws: DecodingError.self) { try AdminJSON.decode(AssignmentPatch.self, from: Data(text.utf8)) }
    }

    @Test func isWhatLeadsFromOneValueToTheOther() {
        #expect(Patched(from: "a", to: "a") == .stays)
        #expect(Patched<String>(from: nil, to: nil) == .stays)
        #expect(Patched(from: "a", to: nil) == .goes)
        #expect(Patched(from: "a", to: "b") == .becomes("b"))
        #expect(Patched(from: nil, to: "b") == .becomes("b"))
    }
}
