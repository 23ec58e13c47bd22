import AppDevelopment
import AppSpecification
import DeviceAgent
import Foundation
import InputBounds
import Testing

/// What a developer reads, and what a program does.
struct DevelopmentEventTests {
    private let noon = Date(timeIntervalSince1970: 1_769_860_991)
    private let utc = TimeZone(identifier: "UTC") ?? .current

    private func specification() throws -> AppSpecification {
        try AppSpecification(
            parsing: Data(
                """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "x-app": {"bundleIdentifier": "com.example.notes"},
                 "x-errors": [{"code": 101, "name": "badServer", "meaning": "Not https.", "remedy": "Correct it."}]}
                """.utf8))
    }

    @Test func aRefusalSaysWhereAndWhatTheSpecificationSaysOfIt() throws {
        let report = ConfigurationReport(
            bundleIdentifier: "com.example.notes", version: "v", valid: false, code: 101, message: "no https",
            keyPath: "servers[2].url", at: noon)
        let event = DevelopmentEvent(report, of: "default.plist", try specification())
        #expect(
            event.text(in: utc) == """
                12:03:11 default.plist refused: servers[2].url: code 101: no https
                         badServer: Not https.
                         Correct it.
                """)
        let json = try JSONValue(parsing: Data(event.json.utf8), limits: .message)
        #expect(json["event"]?.string == "refused" && json["code"]?.int == 101)
        #expect(json["keyPath"]?.string == "servers[2].url" && json["remedy"]?.string == "Correct it.")
        #expect(json["time"]?.string == "2026-01-31T12:03:11Z" && json["keyPathSupplied"] == nil)
        #expect(!event.json.contains("\n"))
    }

    /// Red where a value of another type had no meaning and no remedy, although the server gives both.
    @Test func aCodeThatMeansTheSameInEveryAppIsExplained() {
        let report = ConfigurationReport(
            bundleIdentifier: "com.example.notes", version: "v", valid: false, code: 2_147_482_627,
            message: "not of type Int", keyPath: "minutes", at: noon)
        #expect(
            DevelopmentEvent(report, of: "default.json", nil).text(in: utc) == """
                12:03:11 default.json refused: minutes: code 2147482627: not of type Int
                         typeMismatch: A value is of another type than the app reads.
                         Use a value of the type that the app publishes.
                """)
    }

    @Test func aFileThatIsNotUsedIsAWarningWithTheNameThatWasMeant() {
        let events = DevelopmentEvent.of(.unused(file: "defalut.json", meant: "default.json"), at: noon)
        #expect(
            events.map { $0.text(in: utc) } == [
                """
                12:03:11 defalut.json warning: the file is not used, and there is no default.json
                         Did you mean "default.json"? Then rename it.
                """
            ])
    }

    @Test func aPathThatTheAppDidNotNameIsMarked() throws {
        let report = ConfigurationReport(
            bundleIdentifier: "com.example.notes", version: "v", valid: false, code: 7, message: "no",
            keyPath: "servers",
            keyPathSupplied: true, at: noon)
        let event = DevelopmentEvent(report, of: "default.plist", try specification())
        #expect(event.text(in: utc) == "12:03:11 default.plist refused: at or near servers: code 7: no")
        #expect(event.json.contains(#""keyPathSupplied":true"#))
    }

    @Test func anAcceptedConfigurationIsOneLine() {
        let report = ConfigurationReport(bundleIdentifier: "com.example.notes", version: "v", valid: true, at: noon)
        #expect(DevelopmentEvent(report, of: "a.json", nil).text(in: utc) == "12:03:11 a.json accepted")
    }

    /// What an app says is somebody else's text.
    @Test func anAppsWordsSteerNoTerminal() {
        let report = ConfigurationReport(
            bundleIdentifier: "com.example.notes", version: "v", valid: false, code: 1,
            message: "a\u{1B}[2Jb\nc\u{202E}d", at: noon)
        let text = DevelopmentEvent(report, of: "a.json", nil).text(in: utc)
        #expect(!text.contains("\u{1B}") && !text.contains("\n") && !text.contains("\u{202E}"))
    }

    @Test func findingsComeBeforeTheDeployment() throws {
        let specification = try AppSpecification(
            parsing: Data(
                """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "x-app": {"bundleIdentifier": "com.example.notes"}, "required": ["server"]}
                """.utf8))
        var desk = DeploymentDesk(DeploymentFiles(app: "com.example.notes", configuration: "default"))
        let found = FoundDirectory(["default.json": .bytes(Data("{}".utf8))])
        let events = desk.take(found, specification).flatMap { DevelopmentEvent.of($0, at: noon) }
        try #require(events.map(\.event) == [.finding, .deployed])
        #expect(events[0].text(in: utc).hasPrefix("12:03:11 default.json error: "))
        #expect(events[1].text(in: utc) == "12:03:11 default.json deployed")
    }
}
