import DeviceAgent
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
        case let silence as ServerSilence: self.init(silence.explanation)
        case let failure as TPMFailure:
            self.init("\(failure)", advice: "Name the TPM with --tpm, or do without by --tpm none.")
        case is EnrollmentRefusal, is OpenFailure, is LinuxFailure, is FileRefusal, is StoreRefusal:
            self.init("\(error)")
        default: return nil
        }
    }

    var description: String { "martlet-agent: \(reason)" + (advice.map { "\n\($0)" } ?? "") }
}
