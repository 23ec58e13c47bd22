import ACME
import Crypto
import CryptographicMessages
import Foundation
import InputBounds
import SCEP
import Testing

/// An order's life as a value: each change in its turn, in its time and for its key.
struct ACMEOrderTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let identifier = ACMEIdentifier(.permanentIdentifier, "device-1")

    private func order(attest: Bool = false) -> ACMEOrder {
        ACMEOrder(
            id: "o", account: "a", identifier: identifier,
            terms: ACMEGrant.Terms(attest: attest, profile: Data()), token: "t", now: now)
    }

    private func request(_ key: SigningKey = .p256(P256.Signing.PrivateKey())) throws -> ACMECertificateRequest {
        try ACMECertificateRequest(
            parsing: CertificateRequest.make(subject: [[["CN", "x"]]], challenge: nil, key: key))
    }

    /// The code of the refusal that ends `body`; nothing when it goes through.
    private func code(_ body: () throws -> Void) throws -> ACMEProblem.Code? {
        do {
            try body()
            return nil
        } catch let problem as ACMEProblem { return problem.code }
    }

    @Test func `an order goes from pending over ready to valid, and each step once`() throws {
        var order = order()
        #expect(try code { try order.apply(.certificate(serial: "01"), now: now) } == .orderNotReady)
        try order.apply(.answer(.unattested), now: now)
        #expect(order.status == .ready)
        #expect(try code { try order.apply(.answer(.unattested), now: now) } == .malformed)
        try order.apply(.certificate(serial: "01"), now: now)
        #expect(order.status == .valid)
        #expect(try code { try order.apply(.certificate(serial: "02"), now: now) } == .orderNotReady)
        #expect(order.certificate == "01")
        #expect(order.status(at: now + ACMEOrder.lifetime) == .valid)
    }

    @Test func `what is not finished in its time is invalid`() throws {
        var order = order()
        let late = now + ACMEOrder.lifetime
        #expect(try code { try order.apply(.answer(.unattested), now: late) } == .malformed)
        try order.apply(.answer(.unattested), now: late - 1)
        #expect(order.status(at: late) == .invalid)
        #expect(try code { try order.apply(.certificate(serial: "01"), now: late) } == .orderNotReady)
    }

    /// S4-DATA-07: a software-only key is refused when attestation is required.
    @Test(arguments: [AttestationVerdict.unattested, .refused("no")])
    func `an order that demands attestation ends without one`(_ verdict: AttestationVerdict) throws {
        var order = order(attest: true)
        try order.apply(.answer(verdict), now: now)
        #expect(order.status == .invalid)
        #expect(order.problem?.code == .badAttestationStatement)
        #expect(try code { try order.requireReady(now: now) } == .orderNotReady)
    }

    @Test func `a statement that proves nothing is refused even where none is demanded`() throws {
        var order = order(attest: false)
        try order.apply(.answer(.refused("no")), now: now)
        #expect(order.status == .invalid)
    }

    @Test func `the certificate is for the attested key, never for the account's, never for another identifier`() throws
    {
        let account = AccountKey.generate()
        let key = SigningKey.p256(P256.Signing.PrivateKey())
        var order = order(attest: true)
        #expect(try code { try order.judge(request(key), accountKey: account.publicKey(), now: now) } == .orderNotReady)
        try order.apply(.answer(.attested(publicKeyInfo: key.publicKeyInfo)), now: now)
        try order.judge(request(key), accountKey: account.publicKey(), now: now)
        #expect(try code { try order.judge(request(), accountKey: account.publicKey(), now: now) } == .badCSR)
        let own = P256.Signing.PrivateKey()
        var free = self.order()
        try free.apply(.answer(.unattested), now: now)
        #expect(
            try code { try free.judge(request(.p256(own)), accountKey: AccountKey.p256(own).publicKey(), now: now) }
                == .badCSR)
    }

    @Test(.enabled(if: OpenSSLTool.isThere)) func `a permanent identifier in the request must be the order's`() throws {
        let tool = try OpenSSLTool()
        var order = order()
        try order.apply(.answer(.unattested), now: now)
        for (name, expected) in [("device-1", nil), ("device-2", ACMEProblem.Code.badCSR)] {
            try tool.write(
                """
                [req]
                distinguished_name = dn
                req_extensions = ext
                prompt = no
                [dn]
                CN = x
                [ext]
                subjectAltName = otherName:1.3.6.1.5.5.7.8.3;SEQUENCE:pi
                [pi]
                value = UTF8:\(name)

                """, "req.cnf")
            try tool.run(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -config req.cnf -outform DER -out r"
            )
            let request = try ACMECertificateRequest(parsing: tool.read("r"))
            #expect(request.permanentIdentifiers == [name])
            #expect(
                try code { try order.judge(request, accountKey: AccountKey.generate().publicKey(), now: now) }
                    == expected)
        }
    }

    @Test func `a grant serves the account that ordered first, until it is superseded`() {
        func grant(_ state: ACMEGrant.State, account: String?) -> ACMEGrant {
            ACMEGrant(
                digest: Data(), secret: "s", version: 1, device: "d", terms: order().terms, state: state,
                account: account, created: now)
        }
        #expect(grant(.live, account: nil).refusal(ofOrderBy: "a") == nil)
        #expect(grant(.live, account: "a").refusal(ofOrderBy: "a") == nil)
        for other in [grant(.live, account: "b"), grant(.superseded, account: "a"), grant(.withdrawn, account: nil)] {
            #expect(other.refusal(ofOrderBy: "a") == .unknownIdentifier)
        }
    }

    @Test func `an order is for one permanent identifier`() throws {
        func read(_ text: String) throws -> ACMEOrderRequest {
            try ACMEOrderRequest(JSONValue(parsing: Data(text.utf8), limits: .adminBody))
        }
        let one = #"{"type":"permanent-identifier","value":"device-1"}"#
        #expect(try read(#"{"identifiers":[\#(one)]}"#).identifier == identifier)
        let cases: [(String, ACMEProblem.Code)] = [
            (#"{"identifiers":[]}"#, .malformed), (#"{}"#, .malformed),
            (#"{"identifiers":[\#(one),\#(one)]}"#, .rejectedIdentifier),
            (#"{"identifiers":[{"type":"dns","value":"a.example"}]}"#, .unsupportedIdentifier),
            (#"{"identifiers":[{"type":"ip","value":"1.1.1.1"}]}"#, .unsupportedIdentifier),
            (#"{"identifiers":[{"type":"permanent-identifier","value":""}]}"#, .malformed),
            (#"{"identifiers":[\#(one)],"notAfter":"2038-01-01T00:00:00Z"}"#, .malformed),
        ]
        for (text, expected) in cases { #expect(try code { _ = try read(text) } == expected, "\(text)") }
    }

    @Test func `a deactivated account changes no more`() throws {
        var account = ACMEAccount(id: "a", key: try AccountKey.generate().publicKey(), contacts: [], created: now)
        try account.apply(.contacts(["mailto:a@example.com"]))
        try account.apply(.deactivation)
        #expect(try code { try account.apply(.contacts([])) } == .unauthorized)
        #expect(account.contacts == ["mailto:a@example.com"])
    }

    @Test func `a key change carries both keys' word for one account and one URL`() throws {
        let old = try AccountKey.generate().publicKey()
        let new = AccountKey.generate()
        let (url, account) = ("https://ca.example/acme/key-change", "https://ca.example/acme/account/a")
        func inner(url: String, nonce: String? = nil, account: String, old: JSONWebKey) throws -> JSONValue {
            let payload = JSONValue.object(["account": .string(account), "oldKey": old.json])
            return try JSONValue(
                parsing: SignedRequest.sign(payload: payload, url: url, nonce: nonce, account: nil, key: new),
                limits: .adminBody)
        }
        let good = try inner(url: url, account: account, old: old)
        #expect(
            try ACMEKeyChange.newKey(payload: good, outerURL: url, account: account, oldKey: old) == new.publicKey())
        for bad in [
            try inner(url: url + "x", account: account, old: old),
            try inner(url: url, account: account + "x", old: old),
            try inner(url: url, account: account, old: new.publicKey()),
            try inner(url: url, nonce: "bm9uY2U", account: account, old: old),
        ] {
            #expect(
                try code { _ = try ACMEKeyChange.newKey(payload: bad, outerURL: url, account: account, oldKey: old) }
                    == .malformed)
        }
    }

    /// RFC 8555 §6.2 holds for the inner signature as well.
    @Test func `a key change to a key that its algorithm does not take is refused for the key`() throws {
        let (key, url) = (P256.Signing.PrivateKey(), "https://ca.example/acme/key-change")
        let header = JSONValue.object([
            "alg": .string("ES384"), "url": .string(url), "jwk": try AccountKey.p256(key).publicKey().json,
        ])
        let (protected, payload) = (Base64URL.encode(header.encoded()), Base64URL.encode(Data("{}".utf8)))
        let signature = try key.signature(for: Data("\(protected).\(payload)".utf8)).rawRepresentation
        let inner = JSONValue.object([
            "protected": .string(protected), "payload": .string(payload),
            "signature": .string(Base64URL.encode(signature)),
        ])
        let old = try AccountKey.generate().publicKey()
        #expect(
            try code { _ = try ACMEKeyChange.newKey(payload: inner, outerURL: url, account: "a", oldKey: old) }
                == .badPublicKey)
    }
}
