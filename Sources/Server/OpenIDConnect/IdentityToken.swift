package import Foundation
import InputBounds

/// What a provider says of a person who signed in, believed only as a whole.
package struct IdentityToken: Sendable {
    /// The issuer of the token, as the provider writes it.
    package let issuer: String
    /// The person, by an identifier that the provider never reuses.
    package let subject: String
    package let claims: PersonClaims

    static let limits = InputLimits.adminBody

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

    /// Judges a token whose signature is one of `keys`.
    package init(
        parsing text: String, keys: ProviderKeys, expected: Expectation, now: Date
    ) async throws(OpenIDRefusal) {
        try await keys.verify(text)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Self.bytes(parts[1]),
            let claims = try? JSONValue(parsing: bytes, limits: Self.limits), claims.object != nil
        else { throw OpenIDRefusal.malformed.because("its claims are not a JSON object within bounds") }
        try Self.judgeIssuer(of: claims, expected.issuer)
        try Self.judgeAudience(of: claims, expected.client)
        try TokenTimes.judge(claims, now: now)
        guard let nonce = claims.member("nonce") else {
            throw OpenIDRefusal.nonce.because("“nonce” is missing; the provider has to repeat that of the request")
        }
        guard nonce.string == expected.nonce else {
            throw OpenIDRefusal.nonce.because("“nonce” is another one than that of the request; sign in again")
        }
        issuer = expected.issuer
        subject = try claims.subject()
        self.claims = PersonClaims([claims])
    }

    private init(_ token: IdentityToken, claims: PersonClaims) {
        (issuer, subject) = (token.issuer, token.subject)
        self.claims = claims
    }

    /// The same person with what the user info endpoint says of them.
    ///
    /// Core 5.3.2: it is of use only where its subject is the token's.
    func completed(by userInfo: Data) throws(OpenIDRefusal) -> IdentityToken {
        guard let info = try? JSONValue(parsing: userInfo, limits: Self.limits), info.object != nil else {
            throw OpenIDRefusal.userInfo.because(
                "its answer is not a JSON object; have it answer this client without signature and encryption")
        }
        guard let whose = try? info.subject(), whose.utf8.elementsEqual(subject.utf8) else {
            throw OpenIDRefusal.userInfo.because("its “sub” is missing or not that of the identity token")
        }
        return IdentityToken(self, claims: claims.completed(by: info))
    }

    private static func judgeIssuer(of claims: JSONValue, _ expected: String) throws(OpenIDRefusal) {
        guard let issuer = claims["iss"]?.string else {
            throw OpenIDRefusal.issuer.because("“iss” is missing or not a text")
        }
        guard !issuer.utf8.elementsEqual(expected.utf8) else { return }
        throw OpenIDRefusal.issuer.because(
            OpenIDProvider.isSame(issuer, expected)
                ? "“iss” and “issuer” of the metadata differ by a slash at the end; the provider has to write one of them"
                : "“iss” is not the “issuer” of the metadata")
    }

    /// It is for this client, and if it names who asked for it, for nobody else.
    private static func judgeAudience(of claims: JSONValue, _ client: String) throws(OpenIDRefusal) {
        let remedy = "compare oidcClient with the client's registration"
        guard let value = claims.member("aud") else { throw OpenIDRefusal.audience.because("“aud” is missing") }
        guard let audience = value.string.map({ [$0] }) ?? value.array?.map({ $0.string ?? "" }) else {
            throw OpenIDRefusal.audience.because("“aud” is neither a text nor a list of texts")
        }
        guard audience.contains(client) else {
            throw OpenIDRefusal.audience.because("“aud” does not name this client; \(remedy)")
        }
        if let party = claims.member("azp") {
            guard party.string == client else {
                throw OpenIDRefusal.audience.because("“azp” names another client that asked for it; \(remedy)")
            }
        } else if audience.contains(where: { $0 != client }) {
            throw OpenIDRefusal.audience.because(
                "“aud” names other clients, too, and “azp” does not say which of them asked for it")
        }
    }

    static func bytes(_ part: Substring) -> Data? {
        let digits = part.replacing("-", with: "+").replacing("_", with: "/")
        guard part.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }) else {
            return nil
        }
        return Data(base64Encoded: digits + String(repeating: "=", count: (4 - digits.count % 4) % 4))
    }
}
