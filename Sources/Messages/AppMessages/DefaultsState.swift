package import Foundation

/// What an app is told of its two dictionaries, in each reply of the stream `dev.martlet.Defaults.Watch`.
package struct DefaultsState: Codable, Equatable, Sendable {
    /// The administrator's property list for `com.apple.configuration.managed`; base64 on the wire.
    package let configuration: Data?

    /// Names the configuration, the SHA-256 of its bytes in hexadecimal digits; empty without one.
    package let version: String

    /// Names the stretch of feedback that the app writes now: a UUID in lower case, new after each hand-over.
    package let life: String

    /// The sequence of the newest note that the agent has of this life; 0 without one.
    package let sequence: Int

    /// The property list of that note; base64 on the wire.
    package let feedback: Data?

    /// Whether the app is asked to hand its feedback over.
    package let take: Bool

    /// States what an app is told.
    package init(
        configuration: Data?, version: String, life: String, sequence: Int, feedback: Data?, take: Bool
    ) {
        self.configuration = configuration
        self.version = version
        self.life = life
        self.sequence = sequence
        self.feedback = feedback
        self.take = take
    }
}
