import AdminMessages
import Foundation
import Testing
import martlet

/// What a show command wrote is what a change is held to.
struct SeenThingTests {
    private static let assignment = Assignment(group: "teachers", app: "a.b", configuration: "main", priority: 3)
    private static let bare = #"{"app":"a.b","configuration":"main","group":"teachers","priority":3}"#

    @Test(arguments: [
        bare, "[\(bare)]", #"{"assignment": \#(bare), "others": []}"#,
        "\n  { \"group\" : \"teachers\", \"app\" : \"a.b\", \"priority\":3, \"configuration\" : \"main\" }\n",
    ])
    func isFoundHoweverItWasWritten(file: String) throws {
        let seen = try SeenThing<Assignment>(Data(file.utf8))
        #expect(try seen.isSame(as: Self.assignment))
    }

    @Test(arguments: [
        #"{"app":"a.b","group":"teachers","priority":3}"#, bare.replacing("3", with: "4"),
        bare.replacing("teachers", with: "others"),
    ])
    func isAnotherWhereAnythingIs(file: String) throws {
        let seen = try SeenThing<Assignment>(Data(file.utf8))
        #expect(try !seen.isSame(as: Self.assignment))
    }

    @Test(arguments: ["", "{", "null", "[]", "{}", #"{"name":"x"}"#, #"{"group":"teachers"}"#])
    func isNotGuessed(file: String) {
        #expect(throws: Failure.self) { try SeenThing<Assignment>(Data(file.utf8)) }
    }
}
