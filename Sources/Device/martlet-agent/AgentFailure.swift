import CommandOutput
import DeviceAgent
import Foundation
import TPMKeys

/// Why a command did not do what it was asked, and what to do next.
struct AgentFailure: Error, CustomStringConvertible {
    let reason: String
    let advice: String?

    init(_ reason: String, advice: String? = nil) {
        self.reason = reason
        self.advice = advice
    }

    /// What a failure further down means to the person at the terminal; nothing for one of usage.
    init?(_ error: any Error) {
        switch error {
        case let failure as AgentFailure: self = failure
        case let silence as ServerSilence: self.init(silence.explanation, advice: silence.advice)
        case let failure as TPMFailure:
            self.init("\(failure)", advice: "Name the TPM with --tpm, or do without by --tpm none.")
        case let refusal as StoreRefusal: self.init("\(refusal)", advice: Self.advice(on: refusal))
        case is EnrollmentRefusal, is OpenFailure, is LinuxFailure, is FileRefusal, is OutputLoss:
            self.init("\(error)")
        default: return nil
        }
    }

    private static func advice(on refusal: StoreRefusal) -> String {
        let again = "move the directory away and enroll again with a code that replaces this device."
        return switch refusal {
        case .keyMissing: "Put its device.key back, or " + again
        case .guardMissing: "Name the TPM with --tpm."
        case .otherGuard: "Name the right TPM with --tpm, or " + again
        case .tooLarge: "Have the server declare less for this device."
        case .inUse: "Stop it first, or name another directory with --directory."
        case .keyUnusable, .torn, .noWholeGeneration, .blobMissing: "Put a copy of it back, or " + again
        }
    }

    /// One line for the program that asked for JSON, as the administrator's tool has it.
    var json: String {
        let fields = ["status": "failed", "reason": reason].merging(advice.map { ["advice": $0] } ?? [:]) { $1 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(["error": fields])).map { String(decoding: $0, as: UTF8.self) } ?? description
    }

    var description: String { "martlet-agent: \(reason)" + (advice.map { "\n\($0)" } ?? "") }
}
