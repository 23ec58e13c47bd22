import ACME
import CryptoExtras
import Foundation
import InputBounds
import Testing

struct JSONWebKeyTests {
    private func key(_ text: String) throws -> JSONWebKey {
        try JSONWebKey(JSONValue(parsing: Data(text.utf8), limits: .adminBody))
    }

    /// The example of RFC 7638 §3.1.
    @Test func `the thumbprint is that of the standard's example`() throws {
        let modulus = """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjh\
            Mstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL\
            5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
            """
        let key = try key(#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#)
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.algorithm == .rs256)
    }

    @Test(arguments: SignedRequestTests.keys) func `a key survives being kept`(_ key: AccountKey) throws {
        let publicKey = try key.publicKey()
        #expect(try JSONWebKey(stored: publicKey.json.encoded()) == publicKey)
        #expect(try JSONWebKey(publicKey.json).publicKeyInfo == publicKey.publicKeyInfo)
        let again = try AccountKey(pkcs8: key.pkcs8)
        #expect(try again.publicKey() == publicKey)
        #expect(!"\(key)".contains(Base64URL.encode(key.pkcs8)))
    }

    @Test func `what is no public key of a kind that is served is refused by its rule`() throws {
        let zero = Base64URL.encode(Data(count: 32))
        let short = Base64URL.encode(Data([1]) + Data(count: 127))
        let huge = Base64URL.encode(Data([1]) + Data(count: 600))
        let cases: [(String, JSONWebKeyRefusal)] = [
            (#"{"kty":"oct","x":"AQAB"}"#, .kind), (#"{"kty":"oct","k":"AQAB"}"#, .secret),
            (#"{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}"#, .key),
            (#"{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)","d":"\#(zero)"}"#, .secret),
            (#"{"kty":"EC","crv":"P-256","x":"AQAB","y":"\#(zero)"}"#, .shape),
            (#"{"kty":"EC","crv":"secp256k1","x":"\#(zero)","y":"\#(zero)"}"#, .kind),
            (#"{"kty":"RSA","n":"\#(short)","e":"AQAB"}"#, .key), (#"{"kty":"RSA","n":"\#(huge)","e":"AQAB"}"#, .shape),
            (#"{"kty":"RSA","n":"AAEC","e":"AQAB"}"#, .shape), (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, .shape),
            (#"{"kty":"OKP","crv":"Ed25519","x":"\#(zero)"}"#, .kind), ("[]", .shape), ("{}", .kind),
        ]
        for (text, refusal) in cases { #expect(throws: refusal, "\(text)") { try key(text) } }
    }

    @Test func `there is one text for each sequence of bytes`() {
        for count in 0..<40 {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 251) })
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            #expect(
                text
                    == bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: ""))
        }
        for text in ["A", "AB", "AAB", "AA==", "AA\n", "A A", "+/", "AAAA=", "ÄÖ", "AAAAA"] {
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }
}
