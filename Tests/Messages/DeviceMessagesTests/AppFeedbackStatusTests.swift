import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// What an app counted, on its way from a device to the server, and the command that asks for it.
struct AppFeedbackStatusTests {
    private static let counts = PropertyListValue.dictionary(["failureCount": .integer(3)]).xml()

    private static func feedback(_ life: String = "a") -> AppFeedbackStatus {
        AppFeedbackStatus(
            life: life, app: "com.example.app", feedback: counts, configuration: "00ff",
            from: Date(timeIntervalSince1970: 1_700_000_000), to: Date(timeIntervalSince1970: 1_700_003_600),
            refused: 2)
    }

    private static func members(_ changes: [String: JSONValue?]) -> JSONValue {
        var members = feedback().value.object ?? [:]
        for (key, value) in changes { members[key] = value }
        return .object(members)
    }

    private static func text(_ value: PropertyListValue) -> JSONValue {
        .string(value.xml().base64EncodedString())
    }

    @Test func survivesTheWire() throws {
        let feedback = Self.feedback()
        let reading = try AppFeedbackStatus.read(feedback.value)
        #expect(reading.value == feedback)
        #expect(reading.oddities.isEmpty)
        #expect(try AppFeedbackStatus.dictionary(feedback.feedback) == ["failureCount": .integer(3)])
    }

    /// Without its life, its app, its interval or a dictionary within the bounds nobody can keep an element.
    @Test(arguments: ["identifier", "app", "feedback", "from", "to"])
    func anElementWithoutAPartIsRefused(key: String) {
        let missing: [String: JSONValue?] = [key: JSONValue?.none]
        #expect(throws: InputRefusal.self) { try AppFeedbackStatus(Self.members(missing)) }
        #expect(throws: InputRefusal.self) { try AppFeedbackStatus(Self.members([key: .string("")])) }
        #expect(throws: InputRefusal.self) { try AppFeedbackStatus(Self.members([key: .integer(1)])) }
    }

    @Test func feedbackBeyondABoundIsRefused() {
        var deep = PropertyListValue.integer(1)
        for _ in 0..<9 { deep = .dictionary(["a": deep]) }
        let large = PropertyListValue.dictionary(["a": .string(String(repeating: "a", count: 16_384))])
        for value in [deep, large, .array([]), .string("a")] {
            #expect(throws: InputRefusal.self) { try AppFeedbackStatus(Self.members(["feedback": Self.text(value)])) }
        }
        #expect(throws: InputRefusal.self) {
            try AppFeedbackStatus(Self.members(["feedback": .string("bm8gbGlzdA==")]))
        }
    }

    /// What nobody decides by costs nothing but itself, and is said.
    @Test func oddPartsAreReadAndSaid() throws {
        let odd = Self.members([
            "configuration": .string("seven"), "refused": .string("-1"), "from": .string("2026-01-02T00:00:00Z"),
            "to": .string("2026-01-01T00:00:00.250Z"),
        ])
        let reading = try AppFeedbackStatus.read(odd)
        #expect(reading.value.configuration == "")
        #expect(reading.value.refused == 0)
        #expect(reading.value.from == reading.value.to)
        #expect(reading.value.to == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(reading.oddities.count == 3)
    }

    /// Each element that cannot be read is lost alone, and the report says so.
    @Test func aMalformedElementIsLostAlone() throws {
        var report = StatusReport()
        report.set(
            .array([Self.feedback("1").value, .object(["identifier": .string("2")]), Self.feedback("3").value]),
            at: AppFeedbackStatus.name)
        let reading = try StatusReport.read(report.encoded())
        #expect(reading.value.feedback().map(\.life) == ["1", "3"])
        #expect(reading.oddities.first.map(\.place) == ["dev.martlet.app.feedback[1]"])
    }

    @Test func aReportBringsAtMostFifty() throws {
        var report = StatusReport()
        report.set(.array((0..<60).map { Self.feedback("\($0)").value }), at: AppFeedbackStatus.name)
        let reading = try StatusReport.read(report.encoded())
        #expect(reading.value.feedback().count == 50)
        #expect(reading.oddities.count == 1)
    }

    /// Every mutation of an element is refused or read, and what is read is written so that it reads the same again.
    @Test func whatIsAcceptedIsWrittenAndReadAgain() throws {
        let inputs = [Array(Self.feedback().value.encoded()), Array(Self.members(["refused": nil]).encoded())].map {
            Data($0)
        }
        var random = SplitMix64(seed: Mutation.seed)
        for _ in 0..<Mutation.iterations {
            let data = Mutation.mutate(
                inputs[Int.random(in: 0..<inputs.count, using: &random)], with: inputs,
                tokens: ["\"", "{", "}", ":", "Z", "2026", "-", "=", "ff"], using: &random)
            guard let value = try? JSONValue.reading(data, limits: .statusReport).value,
                let feedback = try? AppFeedbackStatus(value)
            else { continue }
            #expect(try AppFeedbackStatus(feedback.value) == feedback)
        }
    }

    @Test(arguments: [nil, "com.example.app"])
    func theCommandSurvivesTheWire(app: String?) throws {
        let command = try Command(uuid: "1", request: FetchFeedback(app: app).request)
        let read = try Command(parsing: command.encoded())
        #expect(read.requestType == "dev.martlet.FetchFeedback")
        #expect(try FetchFeedback(read.request) == FetchFeedback(app: app))
    }

    @Test func theAgentSaysTheFeature() {
        let capabilities = ClientCapabilities(
            supportedFeatures: MartletAgent.supportedFeatures, declarations: [:], statusItems: [])
        #expect(capabilities.tellsFeedback)
        #expect(!ClientCapabilities(declarations: [:], statusItems: []).tellsFeedback)
    }
}
