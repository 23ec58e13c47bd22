import ArgumentParser
import Testing
import martlet

/// Options that exclude each other are refused with the same words in every command.
struct OneOptionTests {
    private func refusal(_ check: () throws -> Void) -> String? {
        do {
            try check()
            return nil
        } catch {
            return (error as? ValidationError)?.message
        }
    }

    @Test func oneAtMost() {
        #expect(refusal { try OneOption.atMost(["--to": false, "--file": false]) } == nil)
        #expect(refusal { try OneOption.atMost(["--to": true, "--file": false]) } == nil)
        #expect(
            refusal { try OneOption.atMost(["--to": true, "--file": true]) } == "give --to or --file, not both")
        #expect(
            refusal { try OneOption.atMost(["--a": true, "--b": false, "--c": true]) }
                == "give only one of --a, --b and --c")
    }

    @Test func exactlyOne() {
        #expect(refusal { try OneOption.exactly(["a file": false, "--text": true]) } == nil)
        #expect(refusal { try OneOption.exactly(["a file": false, "--text": false]) } == "give a file or --text")
        #expect(
            refusal { try OneOption.exactly(["a file": true, "--text": true]) } == "give a file or --text, not both")
        #expect(
            refusal { try OneOption.exactly(["--a": false, "--b": false, "--c": false]) } == "give --a, --b or --c")
    }
}
