import Foundation
import InputBounds
import Testing

@testable import OpenIDConnect

/// Which key of a provider verifies a token.
struct ProviderKeysTests {
    private static let claims: [String: JSONValue] = ["sub": .string("1")]

    /// Why none of these keys verifies a token; nothing where one does.
    private func why(_ keys: ProviderKeys, _ token: String) async -> OpenIDRefusal? {
        do throws(OpenIDRefusal) {
            try await keys.verify(token)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"])
    func eachAlgorithmOfAPrivateKeyIsTaken(_ algorithm: String) async throws {
        let (signer, other) = (try TokenSigner(algorithm), try TokenSigner("ES256"))
        let token = try signer.token(Self.claims, ["kid": .string("a"), "typ": .string("JWT")])
        let further: [[String: JSONValue]] = [[:], ["alg": .string(algorithm)], ["use": .string("sig")]]
        for more in further {
            let keys = try TokenSigner.keys([signer.entry(more.merging(["kid": .string("a")]) { $1 })])
            #expect(await why(keys, token) == nil, "\(more)")
        }
        let foreign = try TokenSigner.keys([other.entry(["kid": .string("a")])])
        #expect(await why(foreign, token)?.kind == .signature)
    }

    /// Red while a token without a name was “cannot be read”, and a key without one was left out.
    @Test func keysAndTokensNeedNoName() async throws {
        let (signer, other) = (try TokenSigner("RS256"), try TokenSigner("ES256"))
        let (named, unnamed) = (try signer.entry(["kid": .string("a")]), try signer.entry())
        let foreign = try other.entry(["kid": .string("b")])
        let (withName, without) = (try signer.token(Self.claims, ["kid": .string("a")]), try signer.token(Self.claims))
        let null = try signer.token(Self.claims, ["kid": .null])
        let cases: [(keys: [JSONValue], token: String, isTaken: Bool)] = [
            ([unnamed], without, true), ([named], without, true), ([unnamed], withName, true),
            ([foreign, named], without, true), ([foreign, unnamed], withName, true), ([named], null, true),
            ([foreign], without, false), ([foreign], withName, false), ([], without, false),
        ]
        for (index, one) in cases.enumerated() {
            let keys = try TokenSigner.keys(one.keys)
            let refusal = await why(keys, one.token)
            #expect((refusal == nil) == one.isTaken, "\(index)")
            #expect(refusal == nil || refusal?.kind == .signature, "\(index)")
        }
    }

    /// A name that is known is no hint to other keys, so that a key that was taken back is not believed under another name.
    @Test func aNamedKeyIsNotReplacedByAnUnnamedOne() async throws {
        let (signer, other) = (try TokenSigner("ES256"), try TokenSigner("ES256"))
        let token = try signer.token(Self.claims, ["kid": .string("a")])
        let keys = try TokenSigner.keys([other.entry(["kid": .string("a")]), signer.entry()])
        #expect(await why(keys, token)?.kind == .signature)
    }

    /// RFC 7517 §4.5: keys of different types may share a name.
    ///
    /// Red while two of one name were neither.
    @Test func keysOfDifferentTypesMayShareAName() async throws {
        let (one, other) = (try TokenSigner("RS256"), try TokenSigner("ES256"))
        let keys = try TokenSigner.keys([one.entry(["kid": .string("a")]), other.entry(["kid": .string("a")])])
        for signer in [one, other] {
            let token = try signer.token(Self.claims, ["kid": .string("a")])
            #expect(await why(keys, token) == nil)
        }
    }

    @Test func keysForOtherUsesVerifyNothing() async throws {
        let signer = try TokenSigner("RS256")
        let token = try signer.token(Self.claims)
        let unsuitable: [[String: JSONValue]] = [
            ["use": .string("enc")], ["key_ops": .array([.string("encrypt")])], ["alg": .string("RSA-OAEP-256")],
            ["alg": .string("RS512")], ["alg": .string("PS256")], ["kty": .string("oct")], ["d": .string("AQAB")],
            ["n": .null],
        ]
        for members in unsuitable {
            let keys = try TokenSigner.keys([signer.entry(members)])
            #expect(await why(keys, token)?.kind == .signature, "\(members)")
            let beside = try TokenSigner.keys([signer.entry(members), signer.entry()])
            #expect(await why(beside, token) == nil, "\(members)")
        }
    }

    /// Each with a sentence that says what was found and what to choose.
    @Test(arguments: [
        ("none", "nobody signed it"), ("nOnE", "nobody signed it"), ("HS256", "the client's secret"),
        ("HS512", "the client's secret"), ("ES256K", "is none of RS256"), ("rs256", "is none of RS256"),
    ]) func anAlgorithmWithoutAPrivateKeyIsRefused(_ algorithm: String, _ sentence: String) async throws {
        let signer = try TokenSigner("RS256")
        let keys = try TokenSigner.keys([signer.entry()])
        let token = try signer.token(Self.claims, ["alg": .string(algorithm)])
        let refusal = try #require(await why(keys, token))
        #expect(refusal.kind == .algorithm && refusal.rule.contains(sentence), "\(refusal.rule)")
        #expect(refusal.rule.contains("choose RS256 or ES256"))
    }

    @Test func aHeaderThatCannotBeReadSaysWhy() async throws {
        let signer = try TokenSigner("RS256")
        let keys = try TokenSigner.keys([signer.entry()])
        let cases: [(token: String, sentence: String)] = [
            ("a.b", "2 parts"), ("a.b.c.d.e", "encrypted"), ("!.b.c", "not a JSON object"), ("", "1 parts"),
            (try signer.token(Self.claims, ["kid": .integer(1)]), "“kid”"),
            (try signer.token(Self.claims, ["alg": .null]), "“alg”"),
            (try signer.token(Self.claims, ["crit": .array([.string("b64")])]), "“crit”"),
            (String(repeating: "a", count: TokenHeader.largest + 1), "larger"),
        ]
        for one in cases {
            let refusal = await why(keys, one.token)
            #expect(refusal?.kind == .malformed && refusal?.rule.contains(one.sentence) == true, "\(one.sentence)")
        }
    }

    @Test func aSetOfKeysIsBounded() throws {
        let entry = try TokenSigner("ES256").entry()
        _ = try TokenSigner.keys(Array(repeating: entry, count: 64))
        #expect(throws: OpenIDRefusal.metadata.because("its set of keys has more than 64")) {
            try TokenSigner.keys(Array(repeating: entry, count: 65))
        }
        #expect(throws: OpenIDRefusal.self) { try ProviderKeys(parsing: Data("[]".utf8)) }
    }
}
