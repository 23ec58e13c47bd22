import Foundation
import InputBounds
import Testing

@testable import OpenIDConnect

/// What an identity token has to say, and in which forms providers say it.
struct IdentityTokenTests {
    private static let start: Int64 = 1_800_000_000
    private static let good: [String: JSONValue] = [
        "iss": .string("https://login.example.org"), "sub": .string("subject-1"), "aud": .string("martlet"),
        "exp": .integer(start + 300), "iat": .integer(start), "nonce": .string("the nonce"),
    ]

    private let signer: TokenSigner
    private let keys: ProviderKeys

    init() throws {
        signer = try TokenSigner("ES256")
        keys = try TokenSigner.keys([signer.entry()])
    }

    private func token(_ claims: [String: JSONValue]) async throws -> IdentityToken {
        try await IdentityToken(
            parsing: try signer.token(Self.good.merging(claims) { $1 }), keys: keys,
            expected: .init(issuer: "https://login.example.org", client: "martlet", nonce: "the nonce"),
            now: Date(timeIntervalSince1970: TimeInterval(Self.start)))
    }

    private func why(_ claims: [String: JSONValue]) async -> OpenIDRefusal? {
        do {
            _ = try await token(claims)
            return nil
        } catch {
            return error as? OpenIDRefusal
        }
    }

    /// Forms that providers write, and that mean the same.
    @Test func oneMeaningInSeveralForms() async throws {
        let forms: [[String: JSONValue]] = [
            [:], ["aud": .array([.string("martlet")])], ["aud": .array([.string("martlet"), .string("martlet")])],
            ["aud": .array([.string("api"), .string("martlet")]), "azp": .string("martlet")],
            ["azp": .string("martlet")], ["azp": .null], ["exp": .string("1800000300"), "iat": .string("1800000000")],
            ["exp": .real(1_800_000_300.5)], ["nbf": .integer(Self.start)], ["nbf": .null],
            // The provider's clock is ahead, or behind.
            ["iat": .integer(Self.start + 240), "nbf": .integer(Self.start + 240)],
            ["exp": .integer(Self.start - 30), "iat": .integer(Self.start - 330)],
        ]
        for form in forms { #expect(try await token(form).subject == "subject-1", "\(form)") }
        #expect(try await token(["sub": .integer(4711)]).subject == "4711")
    }

    /// Each refusal says which claim, and what is wrong with it.
    @Test func eachRefusalNamesItsClaim() async throws {
        typealias Row = (claims: [String: JSONValue], kind: OpenIDRefusal.Kind, sentence: String)
        let audiences: [Row] = [
            (["aud": .null], .audience, "“aud” is missing"), (["aud": .integer(1)], .audience, "neither a text nor"),
            (["aud": .string("other")], .audience, "does not name this client"),
            (["aud": .array([])], .audience, "does not name this client"),
            (["aud": .array([.string("martlet"), .string("other")])], .audience, "“azp” does not say"),
            (["azp": .string("other")], .audience, "“azp” names another"),
        ]
        let times: [Row] = [
            (["exp": .null], .expired, "“exp” is missing"), (["iat": .null], .expired, "“iat” is missing"),
            (["exp": .string("soon")], .expired, "“exp” is not a number"),
            (["exp": .integer(Self.start - 61)], .expired, "“exp” lies 61 seconds in the past"),
            (["iat": .integer(Self.start + 301)], .expired, "“iat” lies 301 seconds in the future"),
            (["iat": .integer(Self.start - 601)], .expired, "“iat” lies 601 seconds in the past"),
            (["nbf": .integer(Self.start + 301)], .expired, "“nbf” lies 301 seconds in the future"),
            (["exp": .real(-1e300)], .expired, "a very long time"),
        ]
        let others: [Row] = [
            (["iss": .null], .issuer, "“iss” is missing"), (["iss": .string("https://other")], .issuer, "“iss” is not"),
            (["iss": .string("https://login.example.org/")], .issuer, "differ by a slash"),
            (["nonce": .null], .nonce, "“nonce” is missing"), (["nonce": .string("other")], .nonce, "another one"),
            (["sub": .null], .malformed, "“sub” is missing"), (["sub": .string("")], .malformed, "is 1 to 255"),
            (["sub": .string("ren\u{E9}")], .malformed, "ASCII"), (["sub": .boolean(true)], .malformed, "not a text"),
        ]
        for row in audiences + times + others {
            let refusal = await why(row.claims)
            #expect(refusal?.kind == row.kind, "\(row.claims)")
            #expect(refusal?.rule.contains(row.sentence) == true, "\(row.claims): \(refusal?.rule ?? "taken")")
        }
    }

    /// Nothing that the provider wrote stands in a refusal: it is shown on a page and logged.
    @Test func aRefusalRepeatsNothing() async {
        for claim in ["iss", "aud", "azp", "nonce", "exp", "iat"] {
            let refusal = await why([claim: .string("planted-text")])
            #expect(refusal != nil && refusal?.rule.contains("planted") == false, "\(claim)")
        }
        #expect(!OpenIDRefusal.sentBack(with: "planted-text").rule.contains("planted"))
        #expect(!OpenIDRefusal.untaken(error: "planted-text", status: 400, hasSecret: true).rule.contains("planted"))
    }

    /// OpenID Connect Core 5.3.2: user info counts only where its subject is the token's.
    @Test func userInfoIsOfTheSamePerson() async throws {
        let plain = try await token([:])
        let whole = try plain.completed(
            by: Data(#"{"sub": "subject-1", "email": "a@example.org", "email_verified": "true"}"#.utf8))
        #expect(whole.claims.texts(of: "email") == ["a@example.org"] && whole.subject == plain.subject)
        let foreign = [#"{"sub": "subject-2", "email": "b@example.org"}"#, #"{"email": "b@example.org"}"#]
        for text in foreign + ["[]", "ey.J.x"] {
            let refusal = #expect(throws: OpenIDRefusal.self) { try plain.completed(by: Data(text.utf8)) }
            #expect(refusal?.kind == .userInfo, "\(text)")
        }
    }
}
