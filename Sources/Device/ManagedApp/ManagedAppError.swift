public import Foundation

/// Why a secret was not delivered.
public enum ManagedAppError: LocalizedError, Hashable, Sendable {
    /// No such secret is provisioned for this app now.
    case invalidIdentifier

    /// The server that keeps or makes the secret did not deliver it.
    case serverError

    /// The device could not do it.
    case internalError

    /// Says so in a sentence.
    public var errorDescription: String? {
        switch self {
        case .invalidIdentifier: "No such secret is provisioned for this app."
        case .serverError: "The server did not deliver the secret."
        case .internalError: "The device could not deliver the secret."
        }
    }
}
