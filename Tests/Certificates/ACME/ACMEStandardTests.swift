import ACME
import Foundation
import InputBounds
import Testing

/// Rules of RFC 8555 for servers that hold without HTTP; `docs/acme-and-scep.md` lists them all.
struct ACMEStandardTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let addresses = ACMEAddresses(base: "https://ca.example/acme")

    private func document(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Data(text.utf8), limits: .adminBody)
    }

    /// The refusal that ends `body`; nothing when it goes through.
    private func problem(_ body: () throws -> Void) throws -> ACMEProblem? {
        do {
            try body()
            return nil
        } catch let problem as ACMEProblem { return problem }
    }

    // MARK: Requests

    /// §6.1; red for a reader that takes padding, as readers of Base64 usually do.
    @Test(arguments: ["AAA=", "AA==", "AAAA=", "AAAA====", "=AAA", "AA+A", "AA/A"])
    func `Base64 with padding or of the other alphabet is malformed`(_ text: String) throws {
        #expect(try problem { _ = try ACMERevocationRequest(document(#"{"certificate":"AAAA"}"#)) } == nil)
        let certificate = try document(#"{"certificate":"\#(text)"}"#)
        #expect(try problem { _ = try ACMERevocationRequest(certificate) }?.code == .malformed)
        let request = try document(#"{"csr":"\#(text)"}"#)
        #expect(try problem { _ = try ACMECertificateRequest(request) }?.code == .malformed)
    }

    // MARK: Accounts

    private static let contacts: [(String, ACMEProblem.Code?)] = [
        ("mailto:a@example.com", nil), ("MAILTO:a%2Bb@example.com", nil), ("tel:+15550100", .unsupportedContact),
        ("https://example.com/a@b", .unsupportedContact), ("x-own+1.2:a@b", .unsupportedContact),
        ("a@example.com", .invalidContact), ("", .invalidContact), (":a@b", .invalidContact),
        ("1:a@b", .invalidContact), ("mailto:", .invalidContact), ("mailto:a", .invalidContact),
        ("mailto:@example.com", .invalidContact), ("mailto:a@", .invalidContact),
        ("mailto:a@example.com,b@example.com", .invalidContact), ("mailto:a@b@c", .invalidContact),
        ("mailto:a@example.com?subject=x", .invalidContact), ("mailto:a b@example.com", .invalidContact),
        ("mailto:\u{fc}@example.com", .invalidContact),
    ]

    /// §7.3; red while every contact that is no `mailto` was invalid, and header fields and second addresses were kept.
    @Test(arguments: contacts)
    func `a contact of another scheme is unsupported, and a mailto has one address`(
        _ contact: String, _ code: ACMEProblem.Code?
    ) throws {
        let asked = JSONValue.object(["contact": .array([.string(contact)])])
        #expect(try problem { _ = try ACMEAccountRequest(asked) }?.code == code)
        #expect(try problem { _ = try ACMEAccountRequest.change(asked) }?.code == code)
    }

    @Test func `contacts are a short list of short texts`() throws {
        let one = #""mailto:a@example.com""#
        let long = "mailto:" + String(repeating: "a", count: 256) + "@example.com"
        let lines = #""mailto:a@example.com\nmailto:b""#
        for list in ["1", "[1]", #"["\#(long)"]"#, "[\(lines)]"] {
            let asked = try document(#"{"contact":\#(list)}"#)
            #expect(try problem { _ = try ACMEAccountRequest(asked) }?.code == .invalidContact)
        }
        let four = try document(#"{"contact":[\#(one),\#(one),\#(one),\#(one)]}"#)
        #expect(try ACMEAccountRequest(four).contacts.count == 4)
        let five = try document(#"{"contact":[\#(one),\#(one),\#(one),\#(one),\#(one)]}"#)
        #expect(try problem { _ = try ACMEAccountRequest(five) }?.code == .invalidContact)
    }

    /// §7.3.2; red while an account that a client sent back as it had read it was malformed.
    @Test func `an update ignores every status but deactivated, and what is not known`() throws {
        func change(_ text: String) throws -> ACMEAccount.Change? { try ACMEAccountRequest.change(document(text)) }
        let contact = #""contact":["mailto:b@example.com"]"#
        let changed = ACMEAccount.Change.contacts(["mailto:b@example.com"])
        for rest in [#""status":"valid""#, #""status":"revoked""#, #""status":1"#, #""orders":"x""#, #""new":{}"#] {
            #expect(try change("{\(rest),\(contact)}") == changed, "\(rest)")
            #expect(try change("{\(rest)}") == nil, "\(rest)")
        }
        #expect(try change(#"{"contact":[]}"#) == .contacts([]))
        #expect(try change("{\(contact),\"status\":\"deactivated\"}") == .deactivation)
    }

    @Test func `an account has its status, its contacts and the address of its orders`() throws {
        let account = ACMEAccount(
            id: "a", key: try AccountKey.generate().publicKey(), contacts: ["mailto:a@example.com"], created: now)
        #expect(
            account.json(addresses)
                == .object([
                    "status": .string("valid"), "contact": .array([.string("mailto:a@example.com")]),
                    "orders": .string("https://ca.example/acme/account/a/orders"),
                ]))
        #expect(addresses.accountID(addresses.orders("a")) == nil, "the address of orders names no account")
    }

    /// §7.1.1: there is no pre-authorization.
    @Test func `the directory names what is served and nothing else`() {
        #expect(
            addresses.directory.json.object.map { Set($0.keys) }
                == ["newNonce", "newAccount", "newOrder", "revokeCert", "keyChange", "meta"])
    }

    // MARK: Problems

    /// §6.7.1: an identifier stands in a subproblem alone, and an order of one identifier has no subproblems.
    @Test func `a problem names no identifier and has no subproblems`() {
        for code in ACMEProblem.Code.allCases {
            var names: Set<String> = ["type", "detail", "status"]
            if code == .badSignatureAlgorithm { names.insert("algorithms") }
            #expect(ACMEProblem(code, "no").json.object.map { Set($0.keys) } == names, "\(code)")
        }
    }

    /// §6.7.1: the subproblems of another server need be neither of the problem's type nor of a form that we know.
    @Test(arguments: [
        #"[{"type":"urn:ietf:params:acme:error:caa","identifier":{"type":"dns","value":"a"}}]"#, "[]", "{}", "null",
    ])
    func `a client goes by the problem whatever its subproblems are`(_ subproblems: String) throws {
        let type = ACMEProblem.typePrefix + "rejectedIdentifier"
        let problem = try document(#"{"type":"\#(type)","subproblems":\#(subproblems)}"#)
        #expect(ACMEServerProblem(problem).code == "rejectedIdentifier")
    }

    /// §6.2, §7.3.5, §7.3.6, §7.4.
    @Test func `a problem has the status that its rule names`() throws {
        var account = ACMEAccount(id: "a", key: try AccountKey.generate().publicKey(), contacts: [], created: now)
        try account.apply(.deactivation)
        let deactivated = try #require(try problem { try account.requireValid() })
        #expect(deactivated.code == .unauthorized && deactivated.status == 401)
        #expect(ACMEProblem.keyIsTaken.status == 409)
        #expect(ACMEProblem(.orderNotReady, "").status == 403)
        #expect(ACMEProblem(.rateLimited, "").status == 429)
        #expect(ACMEProblem(.badNonce, "").status == 400)
        #expect(ACMEProblem(.malformed, "", status: 415).json["status"] == .integer(415))
    }

    @Test func `a wrong algorithm is answered with those that are served`() {
        let json = ACMEProblem(.badSignatureAlgorithm, "no").json
        #expect(json["algorithms"] == .array(["ES256", "ES384", "RS256"].map(JSONValue.string)))
        #expect(json["type"] == .string("urn:ietf:params:acme:error:badSignatureAlgorithm"))
        #expect(ACMEProblem(.malformed, "no").json["algorithms"] == nil)
    }

    /// §7.6: the refusal says which reasons are allowed.
    @Test func `a reason that a holder may not give is refused with those that it may`() throws {
        func refusal(_ reason: Int) throws -> ACMEProblem? {
            try problem {
                _ = try ACMERevocationRequest(document(#"{"certificate":"AAAA","reason":\#(reason)}"#))
            }
        }
        for reason in RevocationReason.allCases { #expect(try refusal(reason.rawValue) == nil) }
        for reason in [-1, 2, 6, 7, 8, 9, 10, 11] {
            let refused = try #require(try refusal(reason))
            #expect(refused.code == .badRevocationReason)
            for allowed in RevocationReason.allCases { #expect(refused.detail.contains("\(allowed.rawValue)")) }
        }
    }

    // MARK: Orders

    private func order() -> ACMEOrder {
        ACMEOrder(
            id: "o", account: "a", identifier: ACMEIdentifier(.permanentIdentifier, "device-1"),
            terms: ACMEGrant.Terms(attest: false, profile: Data()), token: "t", now: now)
    }

    private func states(_ order: ACMEOrder, at moment: Date? = nil) -> [String?] {
        let moment = moment ?? now
        return [
            order.json(addresses, now: moment), order.authorizationJSON(addresses, now: moment),
            order.challengeJSON(addresses),
        ].map { $0["status"]?.string }
    }

    /// §7.1.6; red while an authorization could not be given up.
    @Test func `an authorization is given up until its order has ended`() throws {
        var pending = order()
        #expect(states(pending) == ["pending", "pending", "pending"])
        try pending.apply(.deactivation, now: now)
        #expect(states(pending) == ["invalid", "deactivated", "pending"])
        #expect(try problem { try pending.apply(.answer(.unattested), now: now) }?.code == .malformed)

        var ready = order()
        try ready.apply(.answer(.unattested), now: now)
        #expect(states(ready) == ["ready", "valid", "valid"])
        try ready.apply(.deactivation, now: now)
        #expect(states(ready) == ["invalid", "deactivated", "valid"])
        #expect(try problem { try ready.requireReady(now: now) }?.code == .orderNotReady)
        #expect(try problem { try ready.apply(.deactivation, now: now) }?.code == .malformed)

        var valid = order()
        try valid.apply(.answer(.unattested), now: now)
        try valid.apply(.certificate(serial: "01"), now: now)
        #expect(try problem { try valid.apply(.deactivation, now: now) }?.code == .malformed)
        #expect(states(valid) == ["valid", "valid", "valid"])
        var late = order()
        #expect(try problem { try late.apply(.deactivation, now: now + ACMEOrder.lifetime) }?.code == .malformed)
        #expect(states(late, at: now + ACMEOrder.lifetime) == ["invalid", "expired", "pending"])
    }

    /// §7.1.4, §7.1.6; red while an authorization stayed valid for ever and its challenge did not.
    @Test func `an authorization expires, and what came of its challenge stays`() throws {
        let end = now + ACMEOrder.lifetime
        var order = order()
        try order.apply(.answer(.unattested), now: now)
        #expect(states(order, at: end - 1) == ["ready", "valid", "valid"])
        #expect(states(order, at: end) == ["invalid", "expired", "valid"])
        try order.apply(.certificate(serial: "01"), now: now)
        #expect(states(order, at: end) == ["valid", "expired", "valid"])
        let challenge = order.challengeJSON(addresses)
        #expect(challenge["validated"] != nil && challenge["error"] == nil)
    }

    /// §8: the reason stands with each challenge that is invalid.
    @Test func `a challenge that is invalid says why`() throws {
        var failed = order()
        try failed.apply(.answer(.refused("no")), now: now)
        for moment in [now, now + ACMEOrder.lifetime] {
            #expect(states(failed, at: moment) == ["invalid", "invalid", "invalid"])
        }
        let challenge = failed.challengeJSON(addresses)
        #expect(challenge["error"]?["detail"] == .string("no") && challenge["validated"] == nil)
    }

    @Test func `what is posted to an authorization gives it up, or is malformed`() throws {
        func post(_ payload: JSONValue) throws -> ACMEProblem? {
            let request = try SignedRequest(
                parsing: SignedRequest.sign(
                    payload: payload, url: "https://ca.example/acme/authorization/o", nonce: nil, account: "x",
                    key: .generate()))
            return try problem { try request.requireDeactivation() }
        }
        #expect(try post(.object(["status": .string("deactivated")])) == nil)
        for other in [JSONValue.object([:]), .object(["status": .string("valid")]), .object(["status": .null])] {
            #expect(try post(other)?.code == .malformed)
        }
    }
}
