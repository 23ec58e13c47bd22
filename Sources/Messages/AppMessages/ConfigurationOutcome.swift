/// What an app's decoder said about one version of its configuration.
///
/// Both ends keep its texts short and free of control characters, since they end on an administrator's screen.
package struct ConfigurationOutcome: Codable, Equatable, Sendable {
    /// How many bytes of UTF-8 a message or a key path may have.
    package static let longestText = ReportedText.longest

    /// The version that was decoded.
    package let version: String

    /// Whether the app accepted it.
    package let valid: Bool

    /// The app's own code or a reserved one.
    package let code: Int?

    /// The app's words.
    package let message: String?

    /// Where in the property list.
    package let keyPath: String?

    /// Whether the path is where the decoder was, not what the error named.
    package let keyPathSupplied: Bool

    /// Says what happened.
    package init(
        version: String, valid: Bool, code: Int? = nil, message: String? = nil, keyPath: String? = nil,
        keyPathSupplied: Bool = false
    ) {
        self.version = version
        self.valid = valid
        self.code = code
        self.message = message.map(ReportedText.bounded)
        self.keyPath = keyPath.map(ReportedText.bounded)
        self.keyPathSupplied = keyPathSupplied
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let version = try values.decode(String.self, forKey: .version)
        guard version.utf8.count == 64, version.utf8.allSatisfy(Self.isHexDigit) else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values, debugDescription: "a version has 64 hexadecimal digits")
        }
        self.init(
            version: version, valid: try values.decode(Bool.self, forKey: .valid),
            code: try values.decodeIfPresent(Int.self, forKey: .code),
            message: try values.decodeIfPresent(String.self, forKey: .message),
            keyPath: try values.decodeIfPresent(String.self, forKey: .keyPath),
            keyPathSupplied: try values.decodeIfPresent(Bool.self, forKey: .keyPathSupplied) ?? false)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
    }
}
