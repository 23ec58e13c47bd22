import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// The command to try a configuration, and what is answered to it.
struct TryConfigurationTests {
    private static let verdicts: [TrialVerdict] =
        [
            .accepted, .refused(TrialRefusal(code: 100)),
            .refused(
                TrialRefusal(code: -1, message: "m\n", keyPath: "a[2].b", keyPathSupplied: true, type: "Settings")),
        ] + TrialObstacle.allCases.map { .untried($0) }

    @Test(arguments: [nil, "com.example.app.part"])
    func survivesTheWire(name: String?) throws {
        let trial = TryConfiguration(app: "com.example.app", extension: name, configuration: Data(0...255))
        let command = try Command(uuid: "1", request: trial.request)
        let read = try Command(parsing: command.encoded())
        #expect(read.requestType == "dev.martlet.TryConfiguration")
        #expect(try TryConfiguration(read.request) == trial)
    }

    /// The largest configuration there may be goes through the device's bound on messages.
    @Test func theLargestConfigurationFitsIntoACommand() throws {
        func command(_ count: Int) throws -> Data {
            let trial = TryConfiguration(
                app: String(repeating: "a", count: 255), configuration: Data(repeating: 9, count: count))
            return try Command(uuid: "1", request: trial.request).encoded()
        }
        let largest = try Command(parsing: command(TryConfiguration.largestConfiguration))
        #expect(try TryConfiguration(largest.request).configuration.count == 1_048_576)
        let over = try Command(parsing: command(TryConfiguration.largestConfiguration + 1))
        #expect(throws: InputRefusal.self) { try TryConfiguration(over.request) }
    }

    @Test(arguments: verdicts)
    func aVerdictSurvivesTheWire(verdict: TrialVerdict) throws {
        #expect(try TrialVerdict(verdict.contents) == verdict)
    }

    @Test(
        arguments: [
            [:], ["Verdict": .string("perhaps")], ["Verdict": .string("refused")], ["Verdict": .integer(1)],
            ["Verdict": .string("refused"), "Code": .string("1")],
            [
                "Verdict": .string("refused"), "Code": .integer(1),
                "Message": .string(String(repeating: "m", count: 5_000)),
            ],
        ] as [[String: PropertyListValue]])
    func aVerdictThatIsNoneIsRefused(contents: [String: PropertyListValue]) {
        #expect(throws: InputRefusal.self) { try TrialVerdict(.dictionary(contents)) }
    }

    /// Any refusal is the answer; who ended or said nothing outweighs who accepted, and who accepted those that cannot try.
    @Test(
        arguments: [
            ([], .untried(.notRunning)), ([.accepted], .accepted),
            ([.accepted, .refused(TrialRefusal(code: 1))], .refused(TrialRefusal(code: 1))),
            ([.untried(.ended), .refused(TrialRefusal(code: 1))], .refused(TrialRefusal(code: 1))),
            ([.accepted, .untried(.timedOut)], .untried(.timedOut)),
            ([.untried(.timedOut), .untried(.ended)], .untried(.ended)),
            ([.untried(.notIterating), .accepted, .untried(.unsupported)], .accepted),
            ([.untried(.unsupported), .untried(.notIterating)], .untried(.notIterating)),
        ] as [([TrialVerdict], TrialVerdict)])
    func severalDecodersSayOneThing(verdicts: [TrialVerdict], whole: TrialVerdict) {
        #expect(TrialVerdict.combined(verdicts) == whole)
        #expect(TrialVerdict.combined(verdicts.reversed()) == whole)
    }

    @Test func anAgentAnnouncesThatItCan() throws {
        let able = ClientCapabilities(
            supportedFeatures: MartletAgent.supportedFeatures, declarations: [:], statusItems: [])
        #expect(try ClientCapabilities(able.value).triesConfigurations)
        #expect(!ClientCapabilities(declarations: [:], statusItems: []).triesConfigurations)
    }

    /// Whatever is damaged is refused, or read so that it is written the same.
    @Test func whatIsReadIsWrittenTheSame() throws {
        let trial = TryConfiguration(app: "com.example.app", extension: "e", configuration: Data(0..<64))
        let inputs = [trial.request.xml()] + Self.verdicts.map { $0.contents.xml() }
        let tokens = ["<key>Verdict</key>", "<string>refused</string>", "<integer>9</integer>", "<data>AA==</data>"]
        var random = SplitMix64(seed: Mutation.seed)
        var read = 0
        for _ in 0..<Mutation.iterations {
            let input = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            let data = Mutation.mutate(input, with: inputs, tokens: tokens, using: &random)
            guard let value = try? PropertyListValue(parsing: data, limits: .message) else { continue }
            if let trial = try? TryConfiguration(value) {
                read += 1
                #expect(try TryConfiguration(trial.request) == trial)
            }
            if let verdict = try? TrialVerdict(value) {
                read += 1
                #expect(try TrialVerdict(verdict.contents) == verdict)
            }
        }
        #expect(read > 0)
    }
}
