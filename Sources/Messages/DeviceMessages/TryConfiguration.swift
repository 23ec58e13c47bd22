package import Foundation
package import InputBounds

/// The command that has a running app decode a configuration, and use nothing of it.
///
/// Apple's protocol has none like it: it is sent only to agents that announce `feature` in their
/// `management.client-capabilities`.
package struct TryConfiguration: Hashable, Sendable {
    package static let requestType = "dev.martlet.TryConfiguration"
    package static let feature = "dev.martlet.try-configuration"

    /// A configuration of the largest size, in base64, fits into a command.
    package static let largestConfiguration = 1_048_576

    package let app: String
    /// The app's extension that is meant, if it is not the app itself.
    package let `extension`: String?
    /// The candidate, a property list.
    package let configuration: Data

    package init(app: String, extension: String? = nil, configuration: Data) {
        self.app = app
        self.extension = `extension`
        self.configuration = configuration
    }

    /// Reads the request of a command.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        let fields = try MessageFields(request)
        app = try fields.string("BundleIdentifier", limit: 255)
        `extension` = try fields.stringIfPresent("ExtensionIdentifier", limit: 255)
        configuration = try fields.data("Configuration")
        guard configuration.count <= Self.largestConfiguration else {
            throw InputRefusal("the configuration is larger than one may be")
        }
    }

    /// The request of the command, its type included.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", Self.requestType)
        entries.set("BundleIdentifier", app)
        entries.set("ExtensionIdentifier", `extension`)
        entries.set("Configuration", configuration)
        return entries.value
    }
}

extension ClientCapabilities {
    /// Whether the device can have apps try configurations.
    package var triesConfigurations: Bool { supportedFeatures[TryConfiguration.feature] != nil }
}

/// What came of a trial on a device.
package enum TrialVerdict: Hashable, Sendable {
    /// Everything in the app that decodes configurations took it.
    case accepted
    case refused(TrialRefusal)
    /// No decoder has said anything.
    case untried(TrialObstacle)
}

/// How an app's decoder refused what it tried: what it would have reported of a real configuration.
package struct TrialRefusal: Hashable, Sendable {
    /// The app's own code or a reserved one.
    package var code: Int
    package var message: String?
    package var keyPath: String?
    /// Whether the path is where the decoder was, not what the error named.
    package var keyPathSupplied: Bool
    /// The app's name of what refused to be decoded.
    package var type: String?

    package init(
        code: Int, message: String? = nil, keyPath: String? = nil, keyPathSupplied: Bool = false, type: String? = nil
    ) {
        self.code = code
        self.message = message
        self.keyPath = keyPath
        self.keyPathSupplied = keyPathSupplied
        self.type = type
    }
}

/// Why a configuration was not tried, or nothing came of it.
package enum TrialObstacle: String, Hashable, Sendable, CaseIterable {
    /// The device does not manage the app; whether it has it is not said.
    case notManaged
    /// The app is managed and not there, or has no such extension.
    case notInstalled
    /// An extension of a restricted kind, from which everything is kept.
    case needsFullAccess
    case notRunning
    /// It runs, and nothing in it waits for configurations.
    case notIterating
    /// It reads configurations in a way that decodes nothing, or with a library from before trials.
    case unsupported
    case timedOut
    /// It ended, or went away, while it tried.
    case ended
}

extension TrialVerdict {
    /// Reads what a device answered to the command.
    package init(_ contents: PropertyListValue) throws(InputRefusal) {
        let fields = try MessageFields(contents)
        switch try fields.string("Verdict", limit: 64) {
        case "accepted": self = .accepted
        case "refused":
            self = .refused(
                TrialRefusal(
                    code: try fields.int("Code"), message: try fields.stringIfPresent("Message"),
                    keyPath: try fields.stringIfPresent("KeyPath"),
                    keyPathSupplied: try fields.boolIfPresent("KeyPathSupplied") ?? false,
                    type: try fields.stringIfPresent("Type")))
        case let word:
            guard let obstacle = TrialObstacle(rawValue: word) else {
                throw InputRefusal("the verdict of the trial is unknown")
            }
            self = .untried(obstacle)
        }
    }

    /// What a device answers.
    package var contents: PropertyListValue {
        var entries = MessageEntries()
        switch self {
        case .accepted: entries.set("Verdict", "accepted")
        case .untried(let obstacle): entries.set("Verdict", obstacle.rawValue)
        case .refused(let refusal):
            entries.set("Verdict", "refused")
            entries.set("Code", refusal.code)
            entries.set("Message", refusal.message)
            entries.set("KeyPath", refusal.keyPath)
            entries.set("KeyPathSupplied", refusal.keyPathSupplied)
            entries.set("Type", refusal.type)
        }
        return entries.value
    }

    /// What several decoders say together: any refusal is the answer, and silence outweighs consent.
    ///
    /// Those that cannot try anything do not outweigh those that can; where nobody was asked the app does not run.
    package static func combined(_ verdicts: [TrialVerdict]) -> TrialVerdict {
        verdicts.min { $0.rank < $1.rank } ?? .untried(.notRunning)
    }

    private var rank: Int {
        switch self {
        case .refused: 0
        case .untried(.ended): 1
        case .untried(.timedOut): 2
        case .accepted: 3
        case .untried(.notIterating): 4
        case .untried: 5
        }
    }
}
