import AdminMessages
import AppSpecification
import Foundation
import InputBounds
import Testing
import martlet

/// What is said of a defaults dictionary before an app gets the same by the framework.
struct LegacyJudgementTests {
    private static let published = #"""
        {"x-app": {"bundleIdentifier": "com.example.app"}, "type": "object", "additionalProperties": false,
         "properties": {
           "title": {"type": "string", "default": "Untitled"}, "port": {"type": "integer"},
           "server": {"type": "object", "properties": {"retries": {"type": "integer", "default": 3}}}}}
        """#

    private func judge(
        _ entries: [String: PropertyListValue], against other: [String: PropertyListValue]? = nil
    ) throws -> LegacyJudgement {
        let specification = try AppSpecification(parsing: Data(Self.published.utf8))
        return LegacyJudgement(
            of: .dictionary(entries), from: .configuration("main", groups: ["teachers"], version: 3),
            by: (version: "1.0", specification: specification),
            against: other.map { (name: "new", root: PropertyListValue.dictionary($0)) })
    }

    @Test func wrongTypesAndUnknownKeysAreNamedWithoutTheirValues() throws {
        let judged = try judge(["port": .string("hunter2"), "titel": .string("hunter2")])
        #expect(!judged.isAcceptable && Set(judged.remarks.map(\.path)).isSuperset(of: ["port", "titel"]))
        #expect(judged.text.contains("titel: is not a key that is known here"), "\(judged.text)")
        #expect(judged.text.contains("Did you mean \"title\"?") && judged.text.contains("port: "), "\(judged.text)")
        #expect(!judged.text.contains("hunter2"))
        let json = String(decoding: try AdminJSON.encode(judged), as: UTF8.self)
        #expect(!json.contains("hunter2"))
    }

    /// Only defaults of dictionaries that are there count: of one that is left out the app takes its own as a whole.
    @Test func keysThatAreLeftOutAreNamedWithTheAppsDefault() throws {
        let judged = try judge(["server": .dictionary([:])])
        #expect(judged.isAcceptable)
        #expect(judged.defaults.map(\.path).sorted() == ["server.retries", "title"])
        #expect(judged.defaults.first { $0.path == "server.retries" }?.value == "3")
        #expect(try judge(["title": .string("x")]).defaults.isEmpty)
    }

    @Test func whatLooksLikeASecretIsNamed() throws {
        let judged = try judge(["apiToken": .string("hunter2"), "tokenEndpoint": .string("https://example.org")])
        #expect(judged.secrets == ["apiToken"] && !judged.text.contains("hunter2"))
    }

    @Test func whereAnotherConfigurationDiffersIsNamed() throws {
        let judged = try judge(["port": .integer(1), "title": .string("a")], against: ["port": .integer(2)])
        #expect(judged.against == "new")
        #expect(judged.differences.map { "\($0.change) \($0.path)" } == ["changed port", "added title"])
        #expect(try judge(["port": .integer(1)], against: ["port": .integer(1)]).text.contains("the same as"))
    }

    @Test func aDeviceAnswersWithOneDictionary() {
        let answer = JSON.object([
            "ApplicationConfigurations": .array([
                .object(["Identifier": .string("com.example.other"), "Configuration": .object([:])]),
                .object(["Identifier": .string("com.example.app"), "Configuration": .object(["a": .integer(1)])]),
                .object(["Identifier": .string("com.example.none")]),
            ])
        ])
        #expect(CommandedAppText.configuration(of: "com.example.app", in: answer) == .object(["a": .integer(1)]))
        #expect(CommandedAppText.configuration(of: "com.example.none", in: answer) == nil)
        #expect(CommandedAppText.configuration(of: "com.example.app", in: nil) == nil)
    }
}

/// What a migration says of devices, and with which status it ends.
struct MigrationTextTests {
    @Test func aRefusalStopsAndATrialThatNobodyRanIsNoSuccess() {
        let accepted = ConfigurationTrial(state: .accepted)
        let asleep = ConfigurationTrial(state: .untried, reason: .notRunning)
        let refused = ConfigurationTrial(
            state: .refused,
            refusal: TrialRefusal(code: 100, explanation: RefusalExplanation(meaning: "m", remedy: "Use 1001.")))
        #expect(MigrationText.failure(ofTrials: [accepted, asleep]) == nil)
        #expect(MigrationText.failure(ofTrials: [accepted, refused])?.status == .refused)
        #expect(MigrationText.failure(ofTrials: [asleep])?.status == .failed)
        #expect(MigrationText.failure(ofTrials: [])?.status == .failed)
        #expect(MigrationText.line(refused, configuration: "main", device: "D1").contains("Use 1001."))
        #expect(MigrationText.line(asleep, configuration: "main", device: "D1").hasSuffix("not running"))
    }

    @Test func whoHoldsAMigrationUpIsNamed() {
        var behind = MigrationReadiness()
        for index in 0..<7 {
            behind.count(
                DeviceApp(identifier: "a", state: "managed", configState: "unknown", isCurrent: true, delivery: "both"),
                on: "D\(index)", isSynchronised: true)
        }
        let failure = MigrationText.failure(["g": behind, "h": MigrationReadiness()], app: "a")
        #expect(failure?.status == .refused && failure?.advice?.contains("and 2 more") == true)
        #expect(failure?.advice?.contains("--anyway") == true && failure?.advice?.contains("  h:") == false)
        #expect(MigrationText.failure(["h": MigrationReadiness()], app: "a") == nil)
    }

    /// A device that decoded an older configuration blocks the migration and counts as not current.
    @Test func whatIsNotCurrentYetIsCounted() {
        var found = MigrationReadiness()
        for (index, isCurrent) in [true, false, false].enumerated() {
            found.count(
                DeviceApp(
                    identifier: "a", state: "managed", configState: "valid", isCurrent: isCurrent, delivery: "both"),
                on: "D\(index)", isSynchronised: true)
        }
        let advice = MigrationText.failure(["g": found], app: "a")?.advice
        #expect(advice?.contains("  g: 2 not current yet: D1, D2") == true, "\(advice ?? "")")
    }
}
