import ACME
import AdminMessages
import AsyncHTTPClient
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import SCEP
import ServerHTTP
import Testing

/// Rules of RFC 8555 for servers, over the wire; `docs/acme-and-scep.md` lists them all.
@Suite struct ACMEStandardTests {
    // MARK: Requests

    /// §6.1: no page of another origin is let in, and a client that gives no `User-Agent` is served as any other.
    @Test func noOtherOriginIsLetInAndNoUserAgentIsAskedFor() async throws {
        try await ACMEConversation.with { (client) async throws in
            let (directory, url) = (client.url("/directory"), client.url("/new-account"))
            for agent in [nil, "", "certbot/2.11.0 (Debian) acme-python/2.11.0"] {
                var headers = ["origin": "https://page.example", "content-type": ACMEHTTPRequest.contentType]
                headers["user-agent"] = agent
                let body = try await SignedRequest.sign(
                    payload: .object([:]), url: url, nonce: client.nonce(), account: nil, key: client.key)
                let read = try await client.http.send("GET", directory, headers: headers)
                let opened = try await client.http.send("POST", url, headers: headers, body: body)
                #expect(read.status == 200 && [200, 201].contains(opened.status), "\(agent ?? "none")")
                let refused = try await client.http.send("POST", url, headers: headers, body: body)
                #expect(try refused.problem() == "badNonce")
                headers["access-control-request-method"] = "POST"
                let asked = try await client.http.send("OPTIONS", url, headers: headers)
                for answer in [read, opened, refused, asked] {
                    #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control-") })
                }
            }
        }
    }

    /// §6.1: every address that a client is given is one of HTTPS.
    @Test func everyAddressOfTheDirectoryIsHTTPS() async throws {
        try await ACMEConversation.with { (client) async throws in
            let directory = try await client.http.send("GET", client.url("/directory")).json()
            let places = try #require(directory.object?.filter { $0.key != "meta" })
            #expect(!places.isEmpty)
            for (name, place) in places { #expect(place.string?.hasPrefix("https://") == true, "\(name)") }
        }
    }

    /// §6.2 and RFC 9110 §8.3.1; red while every other writing of the media type was answered 400.
    @Test func theMediaTypeIsReadAsHTTPSaysAndAnotherIsNotSupported() async throws {
        try await ACMEConversation.with { (client) async throws in
            let url = client.url("/new-account")
            for type in ["application/jose+json", "Application/JOSE+JSON", "application/jose+json ; charset=utf-8"] {
                let answer = try await client.post(url, .object([:]), type: type)
                #expect([200, 201].contains(answer.status), "\(type): \(answer.text)")
            }
            let others: [String?] = ["application/json", "application/jose", "text/plain", nil]
            for type in others {
                let answer = try await client.post(url, .object([:]), type: type)
                #expect(answer.status == 415, "\(type ?? "none")")
                #expect(try answer.problem() == "malformed")
            }
        }
    }

    /// §6.3; red while they were "not found".
    @Test func whatIsAskedForByPostAllowsNoGET() async throws {
        try await ACMEConversation.with { (client) async throws in
            for place in [
                "/new-account", "/account/a", "/account/a/orders", "/key-change", "/new-order", "/order/a",
                "/order/a/finalize", "/authorization/a", "/challenge/a", "/certificate/a", "/revoke-cert",
            ] {
                let answer = try await client.http.send("GET", client.url(place))
                #expect(answer.status == 405 && answer.headers["allow"] == "POST", "\(place)")
                #expect(try answer.problem() == "malformed", "\(place)")
            }
        }
    }

    /// §6.3, §7.2: the directory and new nonces by GET, by HEAD and by POST-as-GET.
    @Test func theDirectoryAndNoncesAreReadInEachWay() async throws {
        try await ACMEConversation.with { (client) async throws in
            let (directory, nonces) = (client.url("/directory"), client.url("/new-nonce"))
            let account = try await client.account()
            let read = try await client.http.send("GET", directory)
            #expect(read.status == 200 && read.headers["content-type"] == "application/json")
            #expect(try read.json()["newNonce"]?.string == nonces)
            #expect(try await client.http.send("HEAD", directory).status == 200)
            let posted = try await client.post(directory, nil, account: account)
            #expect(posted.status == 200 && posted.body == read.body)

            let answers = [
                try await client.http.send("HEAD", nonces), try await client.http.send("GET", nonces),
                try await client.post(nonces, nil, account: account),
            ]
            #expect(answers.map(\.status) == [200, 204, 204])
            for answer in answers {
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["link"] == "<\(directory)>;rel=\"index\"")
            }
            #expect(Set(answers.compactMap { $0.headers["replay-nonce"] }).count == 3)
            for url in [directory, nonces] {
                #expect(try await client.post(url, nil).problem() == "malformed", "signed by no account")
                #expect(try await client.post(url, .object([:]), account: account).problem() == "malformed")
            }
        }
    }

    /// §6.5, §6.7: whatever refuses a request says so in ACME's words and gives the nonce for the next one.
    @Test func everyRefusalHasANonceThatIsGood() async throws {
        try await ACMEConversation.with { (client) async throws in
            let url = client.url("/new-account")
            let headers = ["content-type": ACMEHTTPRequest.contentType]
            let large = try await client.http.send("POST", url, headers: headers, body: Data(count: 70_000))
            #expect(large.status == 413)
            #expect(try large.problem() == "malformed")

            func sign(_ nonce: String, url target: String) throws -> Data {
                try SignedRequest.sign(
                    payload: .object([:]), url: target, nonce: nonce, account: nil, key: client.key)
            }
            let used = try await client.http.send("POST", url, headers: headers, body: sign("AAAA", url: url))
            #expect(try used.status == 400 && used.problem() == "badNonce")
            let fresh = try #require(used.headers["replay-nonce"])
            let elsewhere = try await client.http.send(
                "POST", url, headers: headers, body: sign(fresh, url: url + "?x=1"))
            #expect(try elsewhere.status == 403 && elsewhere.problem() == "unauthorized")
            let next = try #require(elsewhere.headers["replay-nonce"])
            let right = try await client.http.send("POST", url, headers: headers, body: sign(next, url: url))
            #expect(right.status == 201)
        }
    }

    /// §6.4; red while a query that means nothing here was passed over.
    @Test func aResourceIsAskedForAtItsOwnURLAlone() async throws {
        try await ACMEConversation.with { (client) async throws in
            let account = try await client.account()
            let orders = account + "/orders"
            for url in [
                client.url("/new-account?x=1"), client.url("/new-order?after=a"), account + "?after=a",
                orders + "?x=1", orders + "?after=a&x=1", orders + "?x=1&after=a", orders + "?after=%61",
            ] {
                let answer = try await client.post(url, nil, account: account)
                #expect(answer.status == 403, "\(url)")
                #expect(try answer.problem() == "unauthorized", "\(url)")
            }
            // Whether the router knows such a path at all does not matter.
            for url in [orders + "/", client.url("//account/" + String(account.suffix(32)))] {
                let answer = try await client.post(url, nil, account: account)
                #expect([403, 404].contains(answer.status), "\(url)")
            }
            #expect(try await client.post(orders + "?after=a", nil, account: account).status == 200)
        }
    }

    /// §6.5; red while a request that was refused for its URL, its account or its signature left its nonce good.
    @Test func aNonceIsUsedWhateverBecomesOfItsRequest() async throws {
        try await ACMEConversation.with { (client) async throws in
            let account = try await client.account()
            let (place, other) = (client.url("/new-account"), AccountKey.generate())
            let attempts: [(String, (String) async throws -> Answer)] = [
                (
                    "accountDoesNotExist",
                    { try await client.post(account, nil, account: client.url("/account/none"), nonce: $0) }
                ),
                ("malformed", { try await client.post(account, nil, account: account, by: other, nonce: $0) }),
                ("unauthorized", { try await client.post(place + "?x=1", .object([:]), nonce: $0) }),
            ]
            for (code, attempt) in attempts {
                let nonce = try await client.nonce()
                #expect(try await attempt(nonce).problem() == code)
                let again = try await client.post(account, nil, account: account, nonce: nonce)
                #expect(try again.problem() == "badNonce", "\(code)")
            }
        }
    }

    /// §6.5, §6.6: also a request that its address made too often; the answer says when the next one is taken.
    @Test func whatComesTooOftenUsesItsNonceAndLearnsWhenToComeAgain() async throws {
        var limits = ServerLimits.patient
        limits.keySignedRequests = 1
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { http in
                let client = ACMEConversation(server: server, http: http)
                let account = try await client.account()
                let nonce = try await client.nonce()
                let often = try await client.post(client.url("/new-account"), .object([:]), nonce: nonce)
                #expect(often.status == 429)
                #expect(try often.problem() == "rateLimited")
                let seconds = try #require(often.headers["retry-after"].flatMap { Int($0) })
                #expect((1...601).contains(seconds))
                let again = try await client.post(account, nil, account: account, nonce: nonce)
                #expect(try again.problem() == "badNonce")
            }
        }
    }

    // MARK: Accounts

    /// §7.3, §7.3.1, §7.3.2.
    @Test func anAccountIsOpenedFoundAndChanged() async throws {
        try await ACMEConversation.with { (client) async throws in
            let url = client.url("/new-account")
            func contact(_ text: String) -> JSONValue { .object(["contact": .array([.string(text)])]) }
            let existing = try await client.post(url, .object(["onlyReturnExisting": .boolean(true)]))
            #expect(try existing.status == 400 && existing.problem() == "accountDoesNotExist")
            #expect(try await client.post(url, contact("tel:+15550100")).problem() == "unsupportedContact")
            #expect(try await client.post(url, contact("mailto:a")).problem() == "invalidContact")

            let opened = try await client.post(url, contact("mailto:a@example.com"))
            let account = try #require(opened.headers["location"])
            #expect(opened.status == 201)
            #expect(try opened.json()["orders"]?.string == account + "/orders")
            let again = try await client.post(url, contact("mailto:b@example.com"))
            #expect(again.status == 200 && again.headers["location"] == account && again.body == opened.body)
            // Whatever else it says is passed over, also what would open no account.
            let wrong = JSONValue.object(["contact": .integer(1), "onlyReturnExisting": .string("x")])
            for wish in [contact("tel:+15550100"), contact("mailto:a"), wrong] {
                let found = try await client.post(url, wish)
                #expect(found.status == 200 && found.headers["location"] == account && found.body == opened.body)
            }
            #expect(try await client.post(url, .array([])).problem() == "malformed", "it is an object all the same")

            // A client sends back the whole account that it read, with one thing changed.
            var whole = try #require(try opened.json().object)
            whole["contact"] = .array([.string("mailto:c@example.com")])
            let changed = try await client.post(account, .object(whole), account: account)
            #expect(changed.status == 200)
            #expect(try changed.json() == .object(whole))
            #expect(try await client.post(account, nil, account: account).body == changed.body)

            let stranger = AccountKey.generate()
            let other = try await client.account(by: stranger)
            for place in [account, account + "/orders"] {
                let refused = try await client.post(place, nil, account: other, by: stranger)
                #expect(try refused.status == 403 && refused.problem() == "unauthorized")
            }
        }
    }

    /// §7.3.3, §7.3.4: no terms are there to agree to, and a binding to an account elsewhere is passed over.
    @Test func noTermsAndNoBindingAreAskedFor() async throws {
        try await ACMEConversation.with { (client) async throws in
            let meta = try await client.http.send("GET", client.url("/directory")).json()["meta"]
            #expect(meta?["termsOfService"] == nil && meta?["externalAccountRequired"] == nil)
            let wish = JSONValue.object([
                "termsOfServiceAgreed": .boolean(true), "externalAccountBinding": .object(["protected": .string("x")]),
            ])
            let opened = try await client.post(client.url("/new-account"), wish)
            #expect(opened.status == 201)
            #expect(try opened.json()["externalAccountBinding"] == nil)
        }
    }

    /// §7.3.6; red while the status was 403.
    @Test func aDeactivatedAccountIsUnauthorized() async throws {
        try await ACMEConversation.with { (client) async throws in
            let account = try await client.account()
            let ended = try await client.post(
                account, .object(["status": .string("deactivated")]), account: account)
            #expect(ended.status == 200)
            #expect(try ended.json()["status"]?.string == "deactivated")
            for answer in [
                try await client.post(account, nil, account: account),
                try await client.post(client.url("/new-order"), .object([:]), account: account),
                try await client.post(client.url("/new-account"), .object([:])),
            ] {
                #expect(answer.status == 401)
                #expect(try answer.problem() == "unauthorized")
            }
        }
    }

    /// §7.3.5; red while a key that is taken was answered 400 and without the account's URL.
    @Test func aKeyChangesToOneThatNoAccountHas() async throws {
        try await ACMEConversation.with { (client) async throws in
            let url = client.url("/key-change")
            let account = try await client.account()
            let (taken, free) = (AccountKey.generate(), AccountKey.generate())
            let other = try await client.account(by: taken)
            func change(to key: AccountKey) async throws -> Answer {
                let inner = try SignedRequest.sign(
                    payload: .object(["account": .string(account), "oldKey": client.key.publicKey().json]), url: url,
                    nonce: nil, account: nil, key: key)
                return try await client.post(
                    url, JSONValue(parsing: inner, limits: .adminBody), account: account)
            }
            for (key, holder) in [(taken, other), (client.key, account)] {
                let conflict = try await change(to: key)
                #expect(conflict.status == 409 && conflict.headers["location"] == holder)
                #expect(try conflict.problem() == "malformed")
            }
            #expect(try await change(to: free).status == 200)
            #expect(try await client.post(account, nil, account: account).problem() == "malformed", "the old key")
            #expect(try await client.post(account, nil, account: account, by: free).status == 200)
        }
    }

    // MARK: Orders

    /// §7.1.2.1, §7.4, §7.5.2.
    @Test func ordersAreListedUntilTheirAuthorizationIsGivenUp() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client)
            let account = try await client.account()
            func listed() async throws -> JSONValue? {
                try await client.post(account + "/orders", nil, account: account).json()["orders"]
            }
            #expect(try await listed() == .array([]))
            let identifier = ACMEIdentifier(.permanentIdentifier, try await fixture.clientIdentifier())
            let placed = try await client.post(
                client.url("/new-order"), .object(["identifiers": .array([identifier.json])]), account: account)
            let order = try #require(placed.headers["location"])
            #expect(placed.status == 201)
            #expect(try await listed() == .array([.string(order)]))

            // Also for what is no certificate request: that the order is not ready comes first.
            let early = try await client.post(order + "/finalize", .object(["csr": .string("AAAA")]), account: account)
            #expect(try early.status == 403 && early.problem() == "orderNotReady")
            let none = try await client.post(
                order.replacing("/order/", with: "/certificate/"), nil, account: account)
            #expect(try none.status == 404 && none.problem() == "malformed")
            let authorization = try #require(
                try placed.json()["authorizations"]?.array?.first?.string)
            let challenge = try #require(
                try await client.post(authorization, nil, account: account).json()["challenges"]?.array?.first)
            #expect(challenge["token"]?.string.flatMap(Base64URL.decode)?.count == 32)
            let shown = try await client.post(
                try #require(challenge["url"]?.string), nil, account: account)
            #expect(shown.headers["link"]?.contains("<\(authorization)>;rel=\"up\"") == true)

            let stranger = AccountKey.generate()
            let other = try await client.account(by: stranger)
            let hidden = try await client.post(order, nil, account: other, by: stranger)
            #expect(try hidden.status == 404 && hidden.problem() == "malformed")

            let given = try await client.post(
                authorization, .object(["status": .string("deactivated")]), account: account)
            #expect(given.status == 200)
            #expect(try given.json()["status"]?.string == "deactivated")
            #expect(try await client.post(order, nil, account: account).json()["status"]?.string == "invalid")
            #expect(try await listed() == .array([]))
        }
    }

    /// §7.1.3, §7.3.5, §7.4, §7.5.1: an order stays what it is through a change of the account's key, an answer that holds
    /// more than it must, and a certificate request that is refused.
    @Test func anOrderStaysWhatItIsUntilItsCertificate() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client)
            let account = try await client.account()
            let identifier = ACMEIdentifier(.permanentIdentifier, try await fixture.clientIdentifier())
            let placed = try await client.post(
                client.url("/new-order"), .object(["identifiers": .array([identifier.json])]), account: account)
            let order = try #require(placed.headers["location"])
            let first = try placed.json()

            let (place, key) = (client.url("/key-change"), AccountKey.generate())
            let inner = try SignedRequest.sign(
                payload: .object(["account": .string(account), "oldKey": client.key.publicKey().json]), url: place,
                nonce: nil, account: nil, key: key)
            let changed = try await client.post(
                place, JSONValue(parsing: inner, limits: .adminBody), account: account)
            #expect(changed.status == 200, "\(changed.text)")
            func post(_ url: String, _ payload: JSONValue?) async throws -> Answer {
                try await client.post(url, payload, account: account, by: key)
            }
            #expect(try await post(order, nil).json() == first)

            let challenge = client.url("/challenge/" + String(order.suffix(32)))
            let statement = JSONValue.string(Base64URL.encode(IdentityFixture.none))
            let answered = try await post(
                challenge, .object(["attObj": statement, "keyAuthorization": .string("x"), "new": .array([])]))
            #expect(try answered.status == 200 && answered.json()["status"]?.string == "valid")

            func finalize(_ key: SigningKey) async throws -> Answer {
                let request = try CertificateRequest.make(subject: [[["CN", "mine"]]], challenge: nil, key: key)
                return try await post(order + "/finalize", .object(["csr": .string(Base64URL.encode(request))]))
            }
            let refused = try await finalize(.p384(P384.Signing.PrivateKey()))
            #expect(try refused.status == 400 && refused.problem() == "badCSR")
            #expect(try await post(order, nil).json()["status"]?.string == "ready")
            let right = SigningKey.p256(P256.Signing.PrivateKey())
            let done = try await finalize(right)
            #expect(done.status == 200 && done.headers["location"] == order)
            let last = try done.json()
            #expect(last["status"]?.string == "valid" && last["certificate"] != nil)
            for name in ["identifiers", "authorizations"] { #expect(last[name] == first[name], "\(name)") }
            let again = try await finalize(right)
            #expect(try again.status == 403 && again.problem() == "orderNotReady")
        }
    }

    /// §6.6: red while a client was sent back after ten minutes, to be refused again.
    @Test func anAccountWithTooManyOrdersLearnsWhenTheFirstEnds() async throws {
        try await IdentityFixture.with(.ownACME(), clock: TestClock(stands: true)) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client)
            let account = try await client.account()
            let identifier = ACMEIdentifier(.permanentIdentifier, try await fixture.clientIdentifier())
            func place() async throws -> Answer {
                try await client.post(
                    client.url("/new-order"), .object(["identifiers": .array([identifier.json])]), account: account)
            }
            for _ in 0..<ACMEOrderDraft.open { #expect(try await place().status == 201) }
            let refused = try await place()
            #expect(refused.status == 429 && refused.headers["retry-after"] == "\(Int(ACMEOrder.lifetime))")
            #expect(try refused.problem() == "rateLimited")
        }
    }

    /// §7.1.2.1; red while an account's orders at one entrance were listed and finalized at the other.
    @Test func anEntranceKnowsNoOrdersOfTheOther() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let identifier = ACMEIdentifier(.permanentIdentifier, try await fixture.clientIdentifier())
            try await expectOrders(
                for: identifier, knownAt: "/acme", notAt: "/acme/devices", fixture.server, fixture.client)
        }
        try await TestServer.run(means: .acme) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let identifier = ACMEIdentifier(.permanentIdentifier, try await admin.code().code)
                try await expectOrders(
                    for: identifier, knownAt: "/acme/devices", notAt: "/acme", server, admin.client)
            }
        }
    }

    private func expectOrders(
        for identifier: ACMEIdentifier, knownAt own: String, notAt other: String, _ server: TestServer,
        _ http: HTTPClient
    ) async throws {
        let client = ACMEConversation(server: server, http: http, entrance: own)
        var beside = client
        beside.entrance = other
        let account = try await client.account()
        let same = try await beside.account()
        let placed = try await client.post(
            client.url("/new-order"), .object(["identifiers": .array([identifier.json])]), account: account)
        let order = try #require(placed.headers["location"], "\(placed.text)")
        let id = String(order.suffix(32))
        #expect(order == client.url("/order/" + id))
        let listed = try await client.post(account + "/orders", nil, account: account).json()["orders"]
        #expect(listed == .array([.string(order)]))
        let none = try await beside.post(same + "/orders", nil, account: same).json()["orders"]
        #expect(none == .array([]))

        // Ready for its certificate, which the other entrance does not give either.
        let answered = try await client.post(
            client.url("/challenge/" + id), .object(["attObj": .string(Base64URL.encode(IdentityFixture.none))]),
            account: account)
        #expect(try answered.json()["status"]?.string == "valid", "\(answered.text)")
        let request = try CertificateRequest.make(
            subject: [[["CN", "mine"]]], challenge: nil, key: .p256(P256.Signing.PrivateKey()))
        let finalization = JSONValue.object(["csr": .string(Base64URL.encode(request))])
        let places: [(String, JSONValue?)] = [
            ("/order/\(id)", nil), ("/authorization/\(id)", nil), ("/challenge/\(id)", nil),
            ("/certificate/\(id)", nil), ("/order/\(id)/finalize", finalization),
        ]
        for (place, payload) in places {
            let hidden = try await beside.post(beside.url(place), payload, account: same)
            #expect(hidden.status == 404, "\(place): \(hidden.text)")
            #expect(try hidden.problem() == "malformed")
        }
        let shown = try await client.post(order, nil, account: account).json()["status"]
        #expect(shown?.string == "ready")
    }

    /// §11.1; red while the key of another account than the one that asks was certified.
    @Test func theKeyOfAnyAccountIsNotCertified() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client)
            let key = P256.Signing.PrivateKey()
            _ = try await client.account(by: .p256(key))
            let identifier = try await fixture.clientIdentifier()
            await #expect(throws: ACMERefusal.status(400, problem: "badCSR")) {
                try await fixture.obtain(identifier, key: .p256(key))
            }
        }
    }

    // MARK: Revocation

    /// §7.6: the account that ordered a certificate and the certificate's own key revoke it, once; no other does.
    @Test func aCertificateIsRevokedByItsAccountOrByItsKey() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client)
            let url = client.url("/revoke-cert")
            let stranger = AccountKey.generate()
            let other = try await client.account(by: stranger)
            let own = try await client.account()
            for byAccount in [true, false] {
                let key = P256.Signing.PrivateKey()
                let chain = try await fixture.obtain(
                    try await fixture.clientIdentifier(), key: .p256(key), account: client.key)
                let leaf = try #require(chain.certificates.first)
                let wish = JSONValue.object(["certificate": .string(Base64URL.encode(leaf))])
                let foreign = [
                    try await client.post(url, wish, account: other, by: stranger),
                    try await client.post(url, wish, by: .generate()),
                ]
                for answer in foreign {
                    #expect(answer.status == 403)
                    #expect(try answer.problem() == "unauthorized")
                }
                let account = byAccount ? own : nil
                let signer: AccountKey? = byAccount ? nil : .p256(key)
                #expect(try await client.post(url, wish, account: account, by: signer).status == 200)
                let again = try await client.post(url, wish, account: account, by: signer)
                #expect(again.status == 400)
                #expect(try again.problem() == "alreadyRevoked")
            }
        }
    }

    /// §7.6: a device's own identity ends with its enrollment; not even its key revokes it.
    @Test func aDevicesOwnIdentityIsNotRevokedByItsHolder() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let client = ACMEConversation(server: fixture.server, http: fixture.client, entrance: "/acme/devices")
            let identity = fixture.device.identity
            guard case .rsa(let key) = identity.key else {
                Issue.record("the device's key is not RSA")
                return
            }
            let refused = try await client.post(
                client.url("/revoke-cert"), .object(["certificate": .string(Base64URL.encode(identity.certificate))]),
                by: .rsa(key))
            #expect(refused.status == 403)
            #expect(try refused.problem() == "unauthorized")
            #expect(try await fixture.device.ask(.declarationItems).status == 200, "it is served as before")
        }
    }
}
