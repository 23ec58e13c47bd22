/// A decoder's refusal of a configuration, for the administrator.
package struct DecodingRefusal: Equatable, Sendable {
    /// The app's own code, or a reserved one.
    package let code: Int

    /// What is wrong, in words.
    package let message: String

    /// Where in the property list.
    package var keyPath: String?

    /// Whether the path is where the decoder was, not what the error named.
    package var keyPathSupplied = false

    /// The decoder did not end in time.
    package static let timeout = DecodingRefusal(
        code: ManagedAppConfigurationDecodingErrorCode.timeout, message: "decoding did not end within the time limit")

    /// The bytes are no property list that may be decoded.
    static func unreadable(_ rule: String) -> DecodingRefusal {
        DecodingRefusal(code: ManagedAppConfigurationDecodingErrorCode.dataCorrupted, message: rule)
    }

    private init(code: Int, message: String, keyPath: String? = nil) {
        self.code = code
        // Agent and server refuse a text with a NUL, so replace it: the app's message must reach the administrator.
        self.message = message.replacing("\0", with: "\u{FFFD}")
        self.keyPath = keyPath?.replacing("\0", with: "\u{FFFD}")
    }

    /// What an error that `init(from:)` threw means.
    init(_ error: any Error) {
        switch error {
        case let error as any ManagedAppConfigurationDecodingError:
            let isOwn = error.code.rawValue < ManagedAppConfigurationDecodingErrorCode.firstReserved
            self.init(
                code: isOwn ? error.code.rawValue : ManagedAppConfigurationDecodingErrorCode.generic,
                message: error.message)
        case DecodingError.keyNotFound(let key, let context):
            self.init(
                code: ManagedAppConfigurationDecodingErrorCode.keyNotFound, message: "the key is missing",
                keyPath: KeyPathText.of(context.codingPath + [key]))
        case DecodingError.typeMismatch(let type, let context):
            self.init(
                code: ManagedAppConfigurationDecodingErrorCode.typeMismatch,
                message: "the value is not of type \(type)",
                keyPath: KeyPathText.of(context.codingPath))
        case DecodingError.valueNotFound(let type, let context):
            self.init(
                code: ManagedAppConfigurationDecodingErrorCode.valueNotFound,
                message: "there is no value of type \(type)", keyPath: KeyPathText.of(context.codingPath))
        case DecodingError.dataCorrupted(let context):
            // Most of these are thrown by apps, in their own words.
            self.init(
                code: ManagedAppConfigurationDecodingErrorCode.dataCorrupted, message: context.debugDescription,
                keyPath: KeyPathText.of(context.codingPath))
        default:
            // What the error holds is unknown; its type is the app's own word for it.
            self.init(
                code: ManagedAppConfigurationDecodingErrorCode.generic,
                message: "the app's decoder threw an error of type \(type(of: error))")
        }
    }
}

/// Coding paths as text, for example `managedCollection.landmarks[2]`.
enum KeyPathText {
    /// The text of a path; nil for the root.
    static func of(_ path: [any CodingKey]) -> String? {
        guard !path.isEmpty else { return nil }
        return path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }
}
