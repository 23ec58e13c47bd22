/// An error with which an app's decoder refuses a configuration, for the administrator to read.
///
/// Throw one from `init(from:)`. Code and message reach the administrator: neither may hold anything secret.
public protocol ManagedAppConfigurationDecodingError: Decodable, Encodable, Error {
    /// The app's own code, below ``ManagedAppConfigurationDecodingErrorCode/firstReserved``.
    var code: ManagedAppConfigurationDecodingErrorCode { get set }

    /// What is wrong, in words.
    var message: String { get set }
}

/// The number of a decoding error.
///
/// Numbers from ``firstReserved`` on belong to the system; an app documents its own below that.
public struct ManagedAppConfigurationDecodingErrorCode: RawRepresentable, Codable, Hashable, Sendable {
    /// The number itself.
    public let rawValue: Int

    /// Makes a code from its number.
    ///
    /// - Parameter rawValue: The number; an app's own is below ``firstReserved``.
    public init?(rawValue: Int) {
        self.rawValue = rawValue
    }

    // The last 1,024 numbers that fit 32 bits: no app's own number is likely to be among them.

    /// The first number that belongs to the system.
    public static let firstReserved = 2_147_482_624

    /// The decoder threw an error that is none of the others.
    public static let generic = firstReserved

    /// The decoder did not end within the time limit.
    public static let timeout = firstReserved + 1

    /// A key is missing.
    public static let keyNotFound = firstReserved + 2

    /// A value has another type.
    public static let typeMismatch = firstReserved + 3

    /// A value is missing.
    public static let valueNotFound = firstReserved + 4

    /// The data is not valid.
    public static let dataCorrupted = firstReserved + 5
}
