import Crypto
import Foundation

/// A provider token: a JSON Web Token by which a sender without a certificate proves who it is.
///
/// The push service takes one for at most an hour, and refuses a sender that makes them too often.
struct ProviderToken {
    /// It is made anew after this time, in seconds.
    private static let life: TimeInterval = 40 * 60

    private let key: P256.Signing.PrivateKey
    private let header: String
    private let teamID: String
    private var present: (text: String, made: Date)?

    init(key: String, keyID: String, teamID: String) throws {
        self.key = try P256.Signing.PrivateKey(pemRepresentation: key)
        header = Self.text(Data(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        self.teamID = teamID
    }

    mutating func text(_ now: Date) throws -> String {
        if let present, now.timeIntervalSince(present.made) < Self.life, now >= present.made { return present.text }
        let claims = Self.text(Data(#"{"iss":"\#(teamID)","iat":\#(Int(now.timeIntervalSince1970))}"#.utf8))
        let signed = "\(header).\(claims)"
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        let text = "\(signed).\(Self.text(signature))"
        present = (text, now)
        return text
    }

    private static func text(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
