import ACME
import Crypto
import CryptographicMessages
import Foundation
import InputBounds
import SCEP
import TestInputs
import Testing

/// Changed requests and certificate requests: no crash, and nothing altered passes for what was signed.
struct ACMEFuzzTests {
    private static let tokens = [
        "\"", "{", "}", "null", "\"alg\"", "ES256", "RS256", "none", "=", "-", "_", "\\u0000", "jwk", "kid", "0",
    ]

    @Test(arguments: [UInt64(1), 2]) func `a changed request is the one that was signed, or none`(_ seed: UInt64) throws
    {
        let key = AccountKey.generate()
        let publicKey = try key.publicKey()
        let payload = JSONValue.object(["identifiers": .array([.object(["type": .string("dns")])])])
        let url = "https://ca.example/acme/new-order"
        let original = try SignedRequest.sign(payload: payload, url: url, nonce: "bm9uY2U", account: nil, key: key)
        let other = try SignedRequest.sign(
            payload: nil, url: url, nonce: "bm9uY2Uy", account: "https://x/a/1", key: .generate())
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutate(original, with: [other], tokens: Self.tokens, using: &generator)
            guard let request = try? SignedRequest(parsing: changed), (try? request.verify(by: publicKey)) != nil
            else { continue }
            #expect(try request.object() == payload)
            #expect(request.url == url)
            #expect(request.nonce == "bm9uY2U")
        }
    }

    @Test(arguments: [UInt64(3)]) func `a changed header or payload under a true signature does not crash`(
        _ seed: UInt64
    ) throws {
        let key = P256.Signing.PrivateKey()
        let header = JSONValue.object([
            "alg": .string("ES256"), "url": .string("https://ca.example/"), "nonce": .string("bm9uY2U"),
            "jwk": try AccountKey.p256(key).publicKey().json,
        ]).encoded()
        let payload = JSONValue.object([
            "identifiers": .array([ACMEIdentifier(.permanentIdentifier, "x").json]), "csr": .string("AAAA"),
            "certificate": .string("AAAA"), "reason": .integer(1), "contact": .array([.string("mailto:a@b")]),
            "status": .string("deactivated"), "onlyReturnExisting": .boolean(true),
        ]).encoded()
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations / 4 {
            let changes = round.isMultiple(of: 2)
            let protected = Base64URL.encode(
                changes ? Mutation.mutate(header, tokens: Self.tokens, using: &generator) : header)
            let body = Base64URL.encode(
                changes ? payload : Mutation.mutate(payload, tokens: Self.tokens, using: &generator))
            let signature = try key.signature(for: Data("\(protected).\(body)".utf8)).rawRepresentation
            let text =
                #"{"protected":"\#(protected)","payload":"\#(body)","signature":"\#(Base64URL.encode(signature))"}"#
            guard let request = try? SignedRequest(parsing: Data(text.utf8)) else { continue }
            if case .key(let own) = request.signer { try? request.verify(by: own) }
            guard let object = try? request.object() else { continue }
            _ = try? ACMEOrderRequest(object)
            _ = try? ACMEAccountRequest(object)
            _ = try? ACMEAccountRequest.change(object)
            _ = try? ACMERevocationRequest(object)
            _ = try? ACMECertificateRequest(object)
            _ = try? SignedRequest(object)
        }
    }

    @Test(arguments: [UInt64(4)]) func `a changed certificate request is for the same key, or none`(_ seed: UInt64)
        throws
    {
        let key = SigningKey.p256(P256.Signing.PrivateKey())
        let original = try CertificateRequest.make(subject: [[["CN", "x"]]], challenge: "c", key: key)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(original, using: &generator)
            if let request = try? ACMECertificateRequest(parsing: changed) {
                #expect(request.publicKeyInfo == key.publicKeyInfo)
            }
        }
    }
}
