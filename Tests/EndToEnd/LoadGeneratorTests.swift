import Foundation
import Testing

/// What the load generator measures without a server.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)))
struct LoadGeneratorTests {
    private struct Times: Decodable {
        let strictMicroseconds: Double
        let appleMicroseconds: Double
        let signaturesOfEachForm: Int
        let ratio: Double
    }

    private func signatures(_ options: String...) async throws -> (status: Int32?, text: String) {
        try await Road.answer(of: "martlet-load", ["signatures"] + options)
    }

    /// Red for a form that does not verify, one that is measured less often than the other, and a ratio of other times.
    @Test func signaturesOfBothFormsAreMeasuredEquallyOften() async throws {
        let answer = try await signatures("--rounds", "3", "--each", "20", "--json")
        #expect(answer.status == 0, "\(answer.text)")
        let times = try JSONDecoder().decode(Times.self, from: Data(answer.text.utf8))
        #expect(times.signaturesOfEachForm == 60)
        #expect(times.strictMicroseconds > 0 && times.appleMicroseconds > 0)
        #expect(abs(times.ratio - times.appleMicroseconds / times.strictMicroseconds) < 0.001)
    }

    @Test func withoutJSONOneLineNamesBothFormsAndTheRatio() async throws {
        let answer = try await signatures("--rounds", "1", "--each", "1", "--bytes", "1")
        #expect(answer.status == 0, "\(answer.text)")
        #expect(answer.text.wholeMatch(of: /strict form [0-9.]+ µs, Apple's form [0-9.]+ µs, ratio [0-9.]+/) != nil)
    }

    /// A measurement of nothing has no median.
    @Test(arguments: ["--rounds", "--each", "--bytes"])
    func aMeasurementOfNothingIsRefused(option: String) async throws {
        let answer = try await signatures(option, "0")
        #expect(answer.status == 64 && answer.text.contains(option), "\(answer.text)")
    }
}
