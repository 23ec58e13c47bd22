public import Foundation

/// Why feedback was not accepted; what was there before stays.
public enum ManagedAppFeedbackError: LocalizedError, Hashable, Sendable {
    /// The dictionary has more than 16,384 bytes as a binary property list in which every text is written out.
    case tooLarge(bytes: Int)

    /// Dictionaries and arrays are nested more than 8 deep, the feedback itself included.
    case tooDeep

    /// Something in it cannot be in a property list.
    case notAPropertyList

    /// Says so in a sentence, and what to do.
    public var errorDescription: String? {
        switch self {
        case .tooLarge(let bytes):
            "The feedback has \(bytes) bytes and may have 16384. Send counts and short texts, and drop old entries."
        case .tooDeep:
            "The feedback is nested more than 8 deep. Flatten it."
        case .notAPropertyList:
            "The feedback holds a value that no property list can hold. Use texts, numbers, dates, data, arrays, dictionaries."
        }
    }
}
