package import Foundation
import InputBounds

/// What the push service says of one push.
package enum PushAnswer: Sendable, Equatable {
    case accepted
    /// The token will never count again; the reason as the push service names it.
    case retired(String)
    /// This push cannot be sent as it is, and another try would change nothing.
    case refused(String)
    /// The credential is refused: nothing can be sent until an administrator acts.
    case credentialRefused(String)
    /// The push service asks for a pause, or cannot be reached; in seconds, if it says how long.
    case later(String, retryAfter: TimeInterval?)

    /// Reasons that say that a token is of no use to this sender.
    private static let retiring: Set<String> = [
        "BadDeviceToken", "DeviceTokenNotForTopic", "ExpiredToken", "Unregistered",
    ]
    /// Reasons that say that the sender is not believed.
    private static let unbelieved: Set<String> = [
        "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
        "MissingProviderToken", "BadTopic", "TopicDisallowed", "MissingTopic",
    ]

    /// Reads status and body: `{"reason":"…"}` where it is not 200.
    init(status: Int, body: Data, retryAfter: TimeInterval?) {
        let said = (try? JSONValue(parsing: body, limits: .adminBody))?.object?["reason"]?.string
        // A reason is one word of letters; anything else is not repeated.
        let reason =
            said.flatMap { text in
                text.utf8.count <= 64 && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
                    ? text : nil
            } ?? "status \(status)"
        switch status {
        case 200: self = .accepted
        // So many pushes wait for this device that one more changes nothing.
        case 429 where reason == "TooManyRequests": self = .refused(reason)
        case 410: self = .retired(reason)
        case 429, 500...599: self = .later(reason, retryAfter: retryAfter)
        case _ where Self.retiring.contains(reason): self = .retired(reason)
        case 403: self = .credentialRefused(reason)
        case _ where Self.unbelieved.contains(reason): self = .credentialRefused(reason)
        default: self = .refused(reason)
        }
    }

}
