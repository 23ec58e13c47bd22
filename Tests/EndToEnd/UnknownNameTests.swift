import Foundation
import Testing

/// A name that the server does not know is named, with the nearest one that it knows.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)))
struct UnknownNameTests {
    /// Red where `enrollment-code create` said only that there is no such group, and no command named the nearest.
    @Test func theNearestNameIsNamed() async throws {
        try await Road.with { road in
            try await road.configure("Parks")
            let commands: [(words: [String], sentence: String)] = [
                (
                    ["enrollment-code", "create", "--group", "teacher"],
                    #"There is no such group: teacher. Did you mean "teachers"?"#
                ),
                (["group", "show", "teahcers"], #"There is no such group: teahcers. Did you mean "teachers"?"#),
                (
                    ["assign", "teachers", "com.example.landmark"],
                    #"There is no such app: com.example.landmark. Did you mean "com.example.landmarks"?"#
                ),
                (
                    ["assign", "teachers", Road.app, "--configuration", "defalt"],
                    #"The app has no such configuration: defalt. Did you mean "default"?"#
                ),
                (
                    ["configuration", "show", Road.app, "defalt"],
                    #"The app has no such configuration: defalt. Did you mean "default"?"#
                ),
            ]
            for (words, sentence) in commands {
                let answer = try await road.run("martlet", words)
                #expect(answer.status == 3 && answer.text.contains(sentence), "\(words): \(answer)")
            }
            let far = try await road.run("martlet", ["group", "show", "something-else"])
            #expect(far.status == 3 && far.text.contains("There is no such group: something-else."), "\(far)")
            #expect(!far.text.contains("Did you mean"), "\(far)")
        }
    }

    /// Red where the specification "knows no such extension", without its name.
    @Test func anExtensionThatIsNotSpecifiedIsNamed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "extension-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = #"""
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
             "x-app": {"bundleIdentifier": "com.example.notes"},
             "x-extensions": {"com.example.notes.share": {"properties": {"count": {"type": "integer"}}}}}
            """#
        try Data(text.utf8).write(to: file)
        let words = ["spec", "validate", file.path, file.path, "--extension", "com.example.notes.shaer"]
        let answer = try await Road.answer(of: "martlet", words)
        let sentence =
            #"no extension com.example.notes.shaer. Did you mean "com.example.notes.share"?"#
        #expect(answer.status == 3 && answer.text.contains(sentence), "\(answer)")
        #expect(answer.text.contains("It has com.example.notes.share."), "\(answer)")
    }
}
