package import Foundation

/// An app's feedback as it was when the app wrote this note.
package struct FeedbackNote: Codable, Equatable, Sendable {
    /// The life of the feedback that the app counts in, as the agent named it.
    package let life: String

    /// Within a life, the greatest counts; never negative.
    package let sequence: Int

    /// The whole property list, base64 on the wire; nothing where the app has no feedback.
    package let feedback: Data?

    /// Notes feedback.
    package init(life: String, sequence: Int, feedback: Data?) {
        self.life = life
        self.sequence = sequence
        self.feedback = feedback
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        life = try values.decode(String.self, forKey: .life)
        guard (1...FeedbackBounds.longestLife).contains(life.utf8.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .life, in: values, debugDescription: "a life of feedback has the name that the agent gave it")
        }
        sequence = try values.decode(Int.self, forKey: .sequence)
        guard sequence >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .sequence, in: values, debugDescription: "a sequence is not negative")
        }
        feedback = try values.decodeIfPresent(Data.self, forKey: .feedback)
    }
}

/// The life of an app's feedback that serves now: the agent's answer to a note and to a hand-over.
package struct FeedbackLife: Codable, Equatable, Sendable {
    /// Its name.
    package let life: String

    /// Names a life.
    package init(life: String) {
        self.life = life
    }
}

/// How much feedback an app may have.
package enum FeedbackBounds {
    /// The most bytes of the property list.
    package static let bytes = 16_384

    /// How deep its collections may lie in each other.
    package static let depth = 8

    /// The most bytes of a life's name; the agent's own have 36.
    static let longestLife = 64
}
