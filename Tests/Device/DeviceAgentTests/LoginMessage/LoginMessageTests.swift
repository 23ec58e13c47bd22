import DeviceMessages
import Foundation
import Testing

@testable import DeviceAgent

/// The login message: one configuration has it, and its file follows what is held.
struct LoginMessageTests {
    private func applied(_ texts: [String: String], previous: Applied = Applied()) -> Applied {
        var all = [
            Declaration(
                identifier: "act", serverToken: "1", SimpleActivation(standardConfigurations: texts.keys.sorted()))
        ]
        all += texts.map { identifier, text in
            Declaration(identifier: identifier, serverToken: "1", LoginMessageConfiguration(text: text))
        }
        let evaluation = Evaluation(
            all.reduce(into: [:]) { $0[$1.identifier] = $1 }, previous: previous)
        return evaluation.outcome(
            assets: [:], secrets: [:], previous: previous, now: Date(timeIntervalSince1970: 1_800_000_000)
        ) { _ in nil }
    }

    /// The configuration that serves keeps the login message; a text with control characters is refused.
    @Test func oneConfigurationHasTheLoginMessage() {
        let first = applied(["b": "Welcome"])
        let both = applied(["a": "Hello", "b": "Welcome"], previous: first)
        #expect(both.systems[LoginMessageSystem.self]?.text == "Welcome")
        #expect(both.verdicts["a"]?.valid == .invalid && both.verdicts["b"]?.valid == .valid)
        let escape = applied(["a": "\u{1B}[2J"])
        #expect(escape.systems[LoginMessageSystem.self] == nil && escape.verdicts["a"]?.valid == .invalid)
    }

    /// The file has the text, everybody may read it, and it goes with the configuration.
    @Test func theFileFollowsWhatIsHeld() throws {
        let directory = NSTemporaryDirectory() + "martlet-login-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let shown = directory + "/motd.d"
        let file = LoginMessageFile(directory: shown)
        let message = LoginMessageSystem.Message(declaration: "a", text: "Welcome")
        for _ in 0..<2 { try file.put(message) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["motd.d"])
        let names = try FileManager.default.contentsOfDirectory(atPath: shown)
        let name = try #require(names.first)
        let path = shown + "/" + name
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "Welcome\n" && names.count == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o644)
        #expect(try file.stands(message))
        #expect(try !file.stands(nil))
        for _ in 0..<2 { try file.put(nil) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: shown).isEmpty)
        #expect(try file.stands(nil))
        let refusals = [
            (LoginMessageFile(directory: nil), LoginMessageFile.heldBack),
            (LoginMessageFile(directory: shown, isOfAPerson: { true }), LoginMessageFile.ofAPerson),
        ]
        for (refusing, refusal) in refusals {
            try file.put(message)
            #expect(try !refusing.stands(message), "what was shown before is to go")
            try file.put(nil)
            #expect(throws: refusal) { try refusing.put(message) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: shown).isEmpty)
        }
    }
}
