import ACME
import Crypto
import CryptoExtras
import Foundation
import InputBounds
import TestInputs
import Testing

/// The entrance of the ACME server: who signed what, for which URL and with which algorithm.
struct SignedRequestTests {
    static let url = "https://ca.example/acme/new-order"
    static let keys: [AccountKey] = [
        .p256(P256.Signing.PrivateKey()), .p384(P384.Signing.PrivateKey()), .rsa(RSAKey.shared),
    ]

    private func signed(_ payload: JSONValue? = .object([:]), account: String? = nil, by key: AccountKey) throws -> Data
    {
        try SignedRequest.sign(payload: payload, url: Self.url, nonce: "bm9uY2U", account: account, key: key)
    }

    /// The request with members of its protected header changed, signed again by the same key where it can be.
    private func header(_ changes: [String: JSONValue?], by key: P256.Signing.PrivateKey) throws -> Data {
        var header: [String: JSONValue] = [
            "alg": .string("ES256"), "url": .string(Self.url), "nonce": .string("bm9uY2U"),
            "jwk": try AccountKey.p256(key).publicKey().json,
        ]
        for (name, value) in changes { header[name] = value }
        let protected = Base64URL.encode(JSONValue.object(header).encoded())
        let payload = Base64URL.encode(Data("{}".utf8))
        let signature = try key.signature(for: Data("\(protected).\(payload)".utf8)).rawRepresentation
        return JSONValue.object([
            "protected": .string(protected), "payload": .string(payload),
            "signature": .string(Base64URL.encode(signature)),
        ]).encoded()
    }

    private func code(_ body: Data, by key: JSONWebKey? = nil) -> ACMEProblem.Code? {
        do {
            let request = try SignedRequest(parsing: body)
            if let key {
                try request.verify(by: key)
            } else if case .key(let own) = request.signer {
                try request.verify(by: own)
            }
            return nil
        } catch { return error.code }
    }

    @Test(arguments: keys) func `what a key signed is verified by that key and by no other`(_ key: AccountKey) throws {
        let request = try SignedRequest(parsing: signed(.object(["a": .integer(1)]), by: key))
        #expect(try request.signer == .key(key.publicKey()))
        #expect(request.url == Self.url)
        #expect(request.nonce == "bm9uY2U")
        #expect(try request.object() == .object(["a": .integer(1)]))
        try request.verify(by: key.publicKey())
        for other in try Self.keys.map({ try $0.publicKey() }) where other != (try key.publicKey()) {
            #expect(throws: ACMEProblem.self) { try request.verify(by: other) }
        }
        let another = try AccountKey.generate().publicKey()
        #expect(throws: ACMEProblem.self) { try request.verify(by: another) }
    }

    @Test func `an account is named by its URL, and post as get has no payload`() throws {
        let request = try SignedRequest(
            parsing: signed(nil, account: "https://ca.example/acme/account/1", by: .generate()))
        #expect(request.signer == .account("https://ca.example/acme/account/1"))
        try request.requireEmpty()
        #expect(throws: ACMEProblem.self) { try request.object() }
        #expect(throws: ACMEProblem.self) { try request.requireURL(Self.url + "/") }
        try request.requireURL(Self.url)
    }

    /// The header cannot choose the algorithm: not none, not a secret's, not another key's.
    @Test(arguments: ["none", "None", "", "HS256", "HS384", "RS1", "ES256K", "PS256", "EdDSA", "es256"])
    func `an algorithm that is not served is refused by its name`(_ name: String) throws {
        let body = try header(["alg": .string(name)], by: P256.Signing.PrivateKey())
        #expect(code(body) == .badSignatureAlgorithm)
    }

    /// RFC 8555 §6.2; red while a key that its algorithm does not take was refused for an algorithm that is served.
    @Test(arguments: ["ES384", "RS256"]) func `an algorithm of another kind of key is refused`(_ name: String) throws {
        let key = P256.Signing.PrivateKey()
        #expect(try code(header(["alg": .string(name)], by: key)) == .badPublicKey)
        // The key of an account was taken before.
        let named = try header(["alg": .string(name), "kid": .string("https://x/1"), "jwk": nil], by: key)
        #expect(try code(named, by: AccountKey.p256(key).publicKey()) == .badSignatureAlgorithm)
    }

    @Test func `a header says exactly once who signed, and asks for no extension`() throws {
        let key = P256.Signing.PrivateKey()
        #expect(try code(header([:], by: key)) == nil)
        #expect(try code(header(["kid": .string("https://x/1")], by: key)) == .malformed)
        #expect(try code(header(["jwk": nil], by: key)) == .malformed)
        #expect(try code(header(["crit": .array([.string("exp")])], by: key)) == .malformed)
        #expect(try code(header(["b64": .boolean(false)], by: key)) == .malformed)
        #expect(try code(header(["url": nil], by: key)) == .malformed)
    }

    /// RFC 8555 §6.5.2; red while such a nonce was only one that is not known, which a client would replace forever.
    @Test(arguments: [JSONValue.integer(1), .null, .string("a nonce"), .string("bm9uY2U="), .string("n")])
    func `a nonce that is not Base64 for URLs makes the request malformed`(_ nonce: JSONValue) throws {
        #expect(try code(header(["nonce": nonce], by: P256.Signing.PrivateKey())) == .malformed)
    }

    @Test func `a request has three members and no header outside the signature`() throws {
        let body = try signed(by: .generate())
        var members = try #require(
            try JSONValue(parsing: body, limits: .adminBody).object)
        for name in ["header", "signatures", "x"] {
            var more = members
            more[name] = .object([:])
            #expect(code(JSONValue.object(more).encoded()) == .malformed)
        }
        for name in members.keys {
            var fewer = members
            fewer[name] = nil
            #expect(code(JSONValue.object(fewer).encoded()) == .malformed)
        }
        members["payload"] = .string((members["payload"]?.string ?? "") + "=")
        #expect(code(JSONValue.object(members).encoded()) == .malformed)
        #expect(code(Data(count: SignedRequest.sizeLimit + 1)) == .malformed)
        for (_, attack) in Attacks.jsonDocuments { #expect(code(attack) == .malformed) }
    }

    /// What is refused is named by its rule; the refusal repeats nothing of it.
    @Test func `a refusal does not repeat what was sent`() throws {
        let marker = "c0ffee-marker"
        for changes in [["alg": JSONValue.string(marker)], ["crit": .string(marker)], ["jwk": .string(marker)]] {
            do {
                _ = try SignedRequest(parsing: header(changes, by: P256.Signing.PrivateKey()))
                Issue.record("taken")
            } catch let problem as ACMEProblem { #expect(!"\(problem.json)\(problem)".contains(marker)) }
        }
    }
}

/// An RSA key for all tests: making one takes long in a debug build.
enum RSAKey {
    static let shared: _RSA.Signing.PrivateKey = {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else { preconditionFailure("no RSA key") }
        return key
    }()
}
