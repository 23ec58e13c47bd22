package import Foundation
import InputBounds
import JWTKit

/// What a provider says of a person who signed in, believed only as a whole.
package struct IdentityToken: Sendable {
    /// Whom the provider means, for ever.
    package let subject: String
    private let claims: JSONValue

    /// A provider's clock may be wrong by this much.
    static let leeway: TimeInterval = 60
    /// A token is used at once; one that was made long ago is somebody's copy.
    static let longestAge: TimeInterval = 600
    static let limits = InputLimits.adminBody
    /// A token with hundreds of groups stays under it.
    static let largest = 64 * 1_024

    /// What has to be right.
    package struct Expectation: Sendable {
        package let issuer: String
        package let client: String
        package let nonce: String

        package init(issuer: String, client: String, nonce: String) {
            self.issuer = issuer
            self.client = client
            self.nonce = nonce
        }
    }

    /// The texts of a claim: one, or each of a list.
    package func texts(of claim: String) -> [String] {
        // An address that nobody looked at is whatever the person wrote.
        if claim == "email", claims["email_verified"]?.bool != true { return [] }
        if let text = claims[claim]?.string { return [text] }
        return claims[claim]?.array?.compactMap(\.string) ?? []
    }

    /// Judges a token whose signature is one of `keys`.
    package init(
        parsing text: String, keys: ProviderKeys, expected: Expectation, now: Date
    ) async throws(OpenIDRefusal) {
        try await keys.verify(text)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Self.bytes(parts[1]),
            let claims = try? JSONValue(parsing: bytes, limits: Self.limits), claims.object != nil
        else { throw .malformed }
        guard claims["iss"]?.string == expected.issuer else { throw .issuer }
        try Self.judgeAudience(of: claims, expected.client)
        try Self.judgeTime(of: claims, now)
        guard claims["nonce"]?.string == expected.nonce else { throw .nonce }
        // OpenID Connect Core 2: at most 255 characters of ASCII.
        guard let subject = claims["sub"]?.string, NameRule(.printable, upTo: 255).takes(subject) else {
            throw .malformed
        }
        self.subject = subject
        self.claims = claims
    }

    /// It is for this client, and if it names who asked for it, for nobody else.
    private static func judgeAudience(of claims: JSONValue, _ client: String) throws(OpenIDRefusal) {
        let audience = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.map { $0.string ?? "" } ?? []
        guard audience.contains(client) else { throw .audience }
        let party = claims["azp"]
        guard party == nil ? audience.count == 1 : party?.string == client else { throw .audience }
    }

    private static func judgeTime(of claims: JSONValue, _ now: Date) throws(OpenIDRefusal) {
        func time(_ claim: String) -> Date? {
            let seconds: Double? =
                switch claims[claim] {
                case .integer(let number): Double(number)
                case .real(let number): number
                default: nil
                }
            return seconds.map { Date(timeIntervalSince1970: $0) }
        }
        guard let expires = time("exp"), let issued = time("iat"), now < expires.addingTimeInterval(leeway),
            issued <= now.addingTimeInterval(leeway), issued >= now.addingTimeInterval(-longestAge),
            time("nbf").map({ $0 <= now.addingTimeInterval(leeway) }) ?? (claims["nbf"] == nil)
        else { throw .expired }
    }

    static func bytes(_ part: Substring) -> Data? {
        let digits = part.replacing("-", with: "+").replacing("_", with: "/")
        guard part.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }) else {
            return nil
        }
        return Data(base64Encoded: digits + String(repeating: "=", count: (4 - digits.count % 4) % 4))
    }
}
