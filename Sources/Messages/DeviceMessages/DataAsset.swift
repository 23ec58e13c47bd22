package import Foundation
package import InputBounds

/// `com.apple.asset.data`: where a document is, and how to know that it is the right one.
package struct DataAsset: DeclarationPayload {
    package static let type = "com.apple.asset.data"
    package static let keys: Set = ["Reference", "Authentication"]

    package enum Authentication: String, Hashable, Sendable {
        /// As for any request of the device; what is meant when the declaration does not say.
        case mdm = "MDM"
        case none = "None"
    }

    package var dataURL: String
    package var contentType: String?
    package var size: Int?
    /// The digest's 32 bytes; written in lowercase hexadecimal, read in hexadecimal or Base64.
    package var sha256: Data?
    package var authentication: Authentication

    package init(
        dataURL: String, contentType: String? = nil, size: Int? = nil, sha256: Data? = nil,
        authentication: Authentication = .mdm
    ) {
        self.dataURL = dataURL
        self.contentType = contentType
        self.size = size
        self.sha256 = sha256
        self.authentication = authentication
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(payload)
        let reference = try JSONFields(try fields.value("Reference"))
        dataURL = try reference.string("DataURL")
        guard dataURL.lowercased().hasPrefix("https://") else {
            throw InputRefusal("the key DataURL is not an https URL")
        }
        contentType = try reference.stringIfPresent("ContentType", limit: 256)
        size = try reference.intIfPresent("Size")
        guard (size ?? 0) >= 0 else { throw InputRefusal("the key Size is negative") }
        if let text = try reference.stringIfPresent("Hash-SHA-256", limit: 128) {
            guard let digest = Self.digest(text) else { throw InputRefusal("the key Hash-SHA-256 is not a digest") }
            sha256 = digest
        }
        let authentication = try JSONFields(.object(try fields.objectIfPresent("Authentication") ?? [:]))
        guard let type = Authentication(rawValue: try authentication.stringIfPresent("Type") ?? "MDM") else {
            throw InputRefusal("the key Type has an unknown value")
        }
        self.authentication = type
    }

    package var payload: JSONValue {
        var reference = ["DataURL": JSONValue.string(dataURL)]
        if let contentType { reference["ContentType"] = .string(contentType) }
        if let size { reference["Size"] = .integer(Int64(size)) }
        if let sha256 { reference["Hash-SHA-256"] = .string(Self.hexadecimal(sha256)) }
        return .object([
            "Reference": .object(reference),
            "Authentication": .object(["Type": .string(authentication.rawValue)]),
        ])
    }

    /// The bytes of a digest in hexadecimal or Base64.
    static func digest(_ text: String) -> Data? {
        if text.utf8.count == 64 {
            var bytes: [UInt8] = []
            var high: UInt8?
            for character in text {
                guard character.isASCII, let digit = character.hexDigitValue else { return nil }
                if let first = high.take() {
                    bytes.append(first << 4 | UInt8(digit))
                } else {
                    high = UInt8(digit)
                }
            }
            return Data(bytes)
        }
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return nil }
        return bytes
    }

    static func hexadecimal(_ bytes: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
