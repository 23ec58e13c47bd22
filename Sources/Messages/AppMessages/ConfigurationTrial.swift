package import Foundation

/// A configuration that an app's decoder is to try, and that nothing else of the app may see.
package struct ConfigurationTrial: Codable, Equatable, Sendable {
    /// How long an answer may be waited for, in seconds.
    package static let longestPatience = 60

    static let longestIdentifier = 64

    /// Names the trial in its answer; one for each stream that it is sent on.
    package let identifier: String

    /// The candidate, a property list; base64 on the wire.
    package let configuration: Data

    /// After so many seconds nobody waits for the answer, and nothing may be decoded any more.
    package let seconds: Int

    /// Asks for a trial.
    package init(identifier: String, configuration: Data, seconds: Int) {
        self.identifier = identifier
        self.configuration = configuration
        self.seconds = seconds
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try values.decode(String.self, forKey: .identifier)
        configuration = try values.decode(Data.self, forKey: .configuration)
        seconds = try values.decode(Int.self, forKey: .seconds)
        guard (1...Self.longestIdentifier).contains(identifier.utf8.count), (1...Self.longestPatience).contains(seconds)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .seconds, in: values, debugDescription: "a trial has a short name and a bounded time")
        }
    }
}

/// What an app's decoder said about a configuration that it only tried.
///
/// Never what was decoded: whether it was, and if not, why.
package struct TrialOutcome: Codable, Equatable, Sendable {
    /// What came of it.
    package enum Verdict: String, Codable, Sendable {
        case accepted, refused
        /// Nothing in the process decodes configurations at present.
        case notIterating
    }

    /// The trial's identifier.
    package let trial: String

    /// What came of it.
    package let verdict: Verdict

    /// The app's own code or a reserved one.
    package let code: Int?

    /// The app's words.
    package let message: String?

    /// Where in the property list.
    package let keyPath: String?

    /// Whether the path is where the decoder was, not what the error named.
    package let keyPathSupplied: Bool

    /// The app's name of what refused to be decoded.
    package let type: String?

    /// Says what happened.
    package init(
        trial: String, verdict: Verdict, code: Int? = nil, message: String? = nil, keyPath: String? = nil,
        keyPathSupplied: Bool = false, type: String? = nil
    ) {
        self.trial = trial
        self.verdict = verdict
        self.code = code
        self.message = message.map(ReportedText.bounded)
        self.keyPath = keyPath.map(ReportedText.bounded)
        self.keyPathSupplied = keyPathSupplied
        self.type = type.map(ReportedText.bounded)
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let trial = try values.decode(String.self, forKey: .trial)
        guard (1...ConfigurationTrial.longestIdentifier).contains(trial.utf8.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .trial, in: values, debugDescription: "a trial has a short name")
        }
        self.init(
            trial: trial, verdict: try values.decode(Verdict.self, forKey: .verdict),
            code: try values.decodeIfPresent(Int.self, forKey: .code),
            message: try values.decodeIfPresent(String.self, forKey: .message),
            keyPath: try values.decodeIfPresent(String.self, forKey: .keyPath),
            keyPathSupplied: try values.decodeIfPresent(Bool.self, forKey: .keyPathSupplied) ?? false,
            type: try values.decodeIfPresent(String.self, forKey: .type))
    }
}
