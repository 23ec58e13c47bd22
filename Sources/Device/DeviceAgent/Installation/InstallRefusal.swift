import AppPackages
import DeviceMessages

/// Why an app is not installed, in the protocol's words and a sentence.
package struct InstallRefusal: Error, Equatable {
    static let signature = "Error.InvalidCodeSignature"

    package let code: String
    let sentence: String
    /// Whether the same may go better later, with nothing else changed.
    var mayHeal = false

    package static func download(_ sentence: String) -> InstallRefusal {
        InstallRefusal(code: "Error.DownloadFailed", sentence: sentence, mayHeal: true)
    }

    static func install(_ sentence: String, mayHeal: Bool = true) -> InstallRefusal {
        InstallRefusal(code: "Error.InstallFailed", sentence: sentence, mayHeal: mayHeal)
    }

    init(code: String, sentence: String, mayHeal: Bool = false) {
        (self.code, self.sentence, self.mayHeal) = (code, sentence, mayHeal)
    }

    /// Of a manifest.
    init(_ refusal: AssetRefusal) {
        self.init(code: refusal.codeOfManifest, sentence: refusal.sentence, mayHeal: refusal.mayHeal)
    }

    /// What speaks against a package speaks against it forever; what speaks against the disk may pass.
    init(_ refusal: PackageRefusal) {
        let sentence = refusal.rule.description
        switch refusal.rule {
        case .unsigned, .signature, .signatureAlgorithm, .certificateUnreadable, .certificateTeam, .certificatePurpose,
            .certificateNotYetValid, .certificateExpired, .untrusted, .otherTeam, .digest, .otherThanListed:
            self.init(code: Self.signature, sentence: sentence)
        case .space, .unreadable, .unwritable, .exists:
            self = .install(sentence)
        case .minimumVersion:
            self.init(code: "Error.NotSupported", sentence: sentence)
        default:
            self.init(code: "Error.NotAnApp", sentence: sentence)
        }
    }
}
