import AdminMessages
import Foundation
import Management
import OpenIDConnect
import ServerHTTP
import TestLog
import Testing

/// Administrators who sign in at the organization's provider: one that was not written here, good and hostile.
@Suite(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's joserfc is not installed: make setup does so"))
struct OpenIDTests {
    /// Whoever has a role there has a session of the console here, under what the provider calls them.
    @Test func aPersonWithARoleIsSignedIn() async throws {
        try await PlayedProvider.with { server, provider, browser in
            for variant in ["good", "elliptic", "right-party", "no-key-name"] {
                try await provider.play(variant, in: browser)
                let page = try await browser.signIn()
                #expect(page.status == 303 && page.location == "/console", "\(variant): \(page.text)")
                let cookie = try #require(page.cookies.first { $0.hasPrefix("__Host-martlet=") })
                for word in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] { #expect(cookie.contains(word)) }
                #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
                #expect(page.headers["cache-control"] == "no-store")
                let session = try #require(page.cookie("__Host-martlet"))
                let detail = try await Self.detail(server, browser, session)
                #expect(detail?.name == "anna@example.org" && detail?.role == .administrator)
                #expect(!server.log.all.contains { $0.contains(session) })
            }
            let log = try await server.management.auditEntries(AuditFilter(), PageRequest()).items
            #expect(log.filter { $0.subject == "anna@example.org" }.map(\.action).contains("administrator.create"))
        }
    }

    /// The console's own page leads there, and says where; one without a provider leads nowhere.
    @Test func theConsoleLeadsToTheProvider() async throws {
        try await PlayedProvider.with { server, _, browser in
            let page = try await browser.send("GET", server.baseURL + "/console/sign-in")
            #expect(page.text.contains("href=\"/sign-in/oidc\"") && page.shows("Sign in with localhost"))
        }
        try await TestServer.run { (server) async throws in
            try await Browser.with(server) { (browser) async throws in
                let page = try await browser.send("GET", server.baseURL + "/console/sign-in")
                #expect(page.status == 200 && !page.text.contains("/sign-in/oidc"))
            }
        }
    }

    /// Each forgery is refused for its reason, opens nothing, is logged and counted, and none of it is repeated.
    @Test(arguments: [
        ("wrong-key", OpenIDRefusal.signature), ("unknown-key", .signature),
        ("none", .algorithm), ("none-with-name", .algorithm), ("None-with-name", .algorithm),
        ("public-as-secret", .algorithm), ("another-kind", .signature), ("key-inside", .signature),
        ("altered", .signature), ("cut", .signature), ("two-parts", .malformed), ("expired", .expired),
        ("no-expiry", .expired), ("stale", .expired), ("from-the-future", .expired), ("not-yet", .expired),
        ("no-issue", .expired), ("wrong-audience", .audience), ("many-audiences", .audience),
        ("wrong-party", .audience), ("no-audience", .audience), ("wrong-nonce", .nonce), ("no-nonce", .nonce),
        ("wrong-issuer", .issuer), ("no-subject", .malformed), ("deep", .malformed), ("denied", .denied),
        ("foreign-answer", .issuer), ("moved", .code), ("garbage", .malformed), ("no-token", .malformed),
        ("endless", .unreachable),
    ]) func aForgeryIsRefused(_ variant: String, _ refusal: OpenIDRefusal) async throws {
        try await PlayedProvider.with { server, provider, browser in
            try await provider.play(variant, in: browser)
            let page = try await browser.signIn()
            #expect(page.status == 403 && page.shows(refusal.rule), "\(page.text)")
            #expect(page.cookie("__Host-martlet") == nil)
            #expect(server.server.refusals(.signIn) == 1)
            #expect(server.log.all.contains { $0.contains("sign-in refused") && $0.contains(refusal.rule) })
            #expect(try await server.management.administrators().map(\.name) == ["admin"])
        }
    }

    /// A token that was given for one sign-in is of no use for the next.
    @Test func aTokenOfAnEarlierSignInIsRefused() async throws {
        try await PlayedProvider.with { _, provider, browser in
            #expect(try await browser.signIn().status == 303)
            try await provider.play("replayed", in: browser)
            let page = try await browser.signIn()
            #expect(page.status == 403 && page.shows(OpenIDRefusal.nonce.rule))
        }
    }

    /// A way back is good once, in the browser that began it, for ten minutes, with what it brought.
    @Test func aWayBackIsGoodOnceInOneBrowserForATime() async throws {
        let clock = TestClock(stands: true)
        try await PlayedProvider.with(clock: clock) { server, provider, browser in
            func refused(_ page: Browser.Page, _ rule: OpenIDRefusal) {
                #expect(page.status == 403 && page.shows(rule.rule), "\(page.text)")
                #expect(page.cookie("__Host-martlet") == nil)
            }
            let first = try await browser.begin()
            let back = try await browser.visit(first.location)
            #expect(try await browser.comeBack(back, cookie: first.cookie).status == 303)
            refused(try await browser.comeBack(back, cookie: first.cookie), .state)

            // Somebody else's way back, in this browser: they would be signed in as them.
            let (mine, theirs) = (try await browser.begin(), try await browser.begin())
            let foreign = try await browser.visit(theirs.location)
            refused(try await browser.comeBack(foreign, cookie: mine.cookie), .state)
            refused(try await browser.comeBack(foreign, cookie: theirs.cookie), .state)
            let own = try await browser.visit(mine.location)
            refused(try await browser.comeBack(own, cookie: nil), .state)

            // A code under another state: the verifier does not fit.
            let (one, two) = (try await browser.begin(), try await browser.begin())
            let (ofOne, ofTwo) = (try await browser.visit(one.location), try await browser.visit(two.location))
            let mixed = ofOne.replacing(try Self.value("code", ofOne), with: try Self.value("code", ofTwo))
            refused(try await browser.comeBack(mixed, cookie: one.cookie), .code)

            let late = try await browser.begin()
            let lateBack = try await browser.visit(late.location)
            clock.advance(by: 601)
            refused(try await browser.comeBack(lateBack, cookie: late.cookie), .state)
            refused(try await browser.comeBack(server.baseURL + "/sign-in/oidc/callback", cookie: "x"), .state)
        }
    }

    /// Who has no role there, no proven address, or the name of somebody else here is refused.
    @Test func whoHasNoRoleOrAnothersNameIsRefused() async throws {
        try await PlayedProvider.with { server, provider, browser in
            for (claims, reason) in [
                (#"{"groups": ["staff"]}"#, "Nobody gave this account a role here."),
                (#"{"groups": "fleets"}"#, "Nobody gave this account a role here."),
                (#"{"groups": [], "email": "ruth@example.org", "email_verified": false}"#, "Nobody gave"),
                (#"{"email_verified": false}"#, "does not count, as “email_verified” is not true"),
                (#"{"email": "a/b"}"#, "has a slash only before the @"), (#"{"email": null}"#, "“email” is missing"),
                (#"{"email": "admin"}"#, "Somebody else has"),
            ] {
                try await provider.play(claims: claims, in: browser)
                let page = try await browser.signIn()
                #expect(page.status == 403 && page.shows(reason), "\(claims): \(page.text)")
            }
            #expect(try await server.management.administrators().map(\.name) == ["admin"])
            // A second person with the first one's address is not the first one.
            try await provider.play(in: browser)
            #expect(try await browser.signIn().status == 303)
            try await provider.play(claims: #"{"sub": "subject-2"}"#, in: browser)
            #expect(try await browser.signIn().text.contains("Somebody else has"))
        }
    }

    /// What somebody may do follows the provider at each sign-in; who has no role any more loses what was left here.
    @Test func whatSomebodyMayDoFollowsTheProvider() async throws {
        try await PlayedProvider.with { server, provider, browser in
            let session = try #require(try await browser.signIn().cookie("__Host-martlet"))
            let headers = ["Authorization": "Bearer \(session)"]
            let wish = try AdminJSON.encode(TokenRequest(name: "x", validSeconds: 600, role: .reader))
            let made = try await browser.send(
                "POST", server.baseURL + "/api/v1/tokens", headers: headers, body: wish)
            let token = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
            try await provider.play(claims: #"{"groups": ["teachers"]}"#, in: browser)
            _ = try await browser.signIn()
            #expect(try await Self.detail(server, browser, session)?.role == .appOwner)
            try await provider.play(claims: #"{"groups": []}"#, in: browser)
            #expect(try await browser.signIn().status == 403)
            #expect(try await Self.detail(server, browser, session) == nil)
            #expect(try await Self.detail(server, browser, token) == nil)
        }
    }

    /// They have no password here, and nobody gives them one.
    @Test func whoSignsInElsewhereHasNoPassword() async throws {
        try await PlayedProvider.with { server, _, browser in
            _ = try await browser.signIn()
            for password in ["", "none", AdminClient.password] {
                let refusal = try await server.management.logIn(name: "anna@example.org", password: password).refusal
                #expect(refusal == .wrongNameOrPassword)
            }
            let reset = try await server.management.resetPassword(of: "anna@example.org", author: "admin")
            #expect(reset.refusal?.kind == .invalid)
        }
    }

    /// Keys change: a new one is looked for when a token names it, and not more often than once a minute.
    @Test func aNewKeyIsLookedForAndNotTooOften() async throws {
        let clock = TestClock(stands: true)
        try await PlayedProvider.with(clock: clock) { _, provider, browser in
            #expect(try await browser.signIn().status == 303)
            #expect(try await browser.signIn().status == 303)
            #expect(try await provider.play("unknown-key", in: browser)["keys"] == 1)
            for _ in 0..<5 { #expect(try await browser.signIn().status == 403) }
            #expect(try await provider.play(in: browser)["keys"] == 2, "once within a minute")
            clock.advance(by: 61)
            #expect(try await provider.play(rotate: true, in: browser)["metadata"] == 1)
            // The provider's clock is not the server's, and within what is allowed for.
            let page = try await browser.signIn()
            #expect(page.status == 303, "\(page.text)")
            #expect(try await provider.play(in: browser)["keys"] == 3)
        }
    }

    /// Red while the first reading of the keys counted as a look for a new one, too.
    @Test func aKeyThatWasJustChangedIsLookedForAtOnce() async throws {
        try await PlayedProvider.with(clock: TestClock(stands: true)) { _, provider, browser in
            #expect(try await browser.signIn().status == 303)
            try await provider.play(rotate: true, in: browser)
            #expect(try await browser.signIn().status == 303)
        }
    }

    /// What OpenID Connect leaves to the provider, all at once.
    ///
    /// Its keys have no names, it takes the client's secret in the form and does not announce so, its issuer ends with a
    /// slash, claims are text, and some are only user info.
    @Test func aProviderOfOtherHabitsSignsPeopleIn() async throws {
        let habits = #"""
            {"named": false, "methods": ["client_secret_post"], "slash": true,
             "userInfo": {"sub": "subject-1", "email": "o'brien@example.org", "email_verified": "true"}}
            """#
        let claims = #"{"email": null, "email_verified": null, "groups": "fleet", "aud": ["martlet"]}"#
        try await PlayedProvider.with { server, provider, browser in
            try await provider.play("no-key-name", claims: claims, habits: habits, in: browser)
            for _ in 0..<2 {
                let page = try await browser.signIn()
                #expect(page.status == 303 && page.location == "/console", "\(page.text)")
                let session = try #require(page.cookie("__Host-martlet"))
                #expect(try await Self.detail(server, browser, session)?.name == "o'brien@example.org")
            }
            // The second time it is known how the secret is shown.
            #expect(try await provider.play(habits: habits, in: browser)["token"] == 3)
            // User info of somebody else completes nothing.
            let foreign = #"{"sub": "subject-2", "email": null, "email_verified": null}"#
            try await provider.play(claims: foreign, habits: habits, in: browser)
            let page = try await browser.signIn()
            #expect(page.status == 403 && page.shows(OpenIDRefusal.userInfo.rule), "\(page.text)")
        }
    }

    /// People of any language, and addresses of RFC 5322: each can be looked up by the API.
    ///
    /// Red with “The provider does not say a name”, while a name was of letters, digits and few signs of ASCII.
    @Test func peopleOfAnyNameSignIn() async throws {
        let names = [
            "o'brien@example.org", "a/b@example.org", "{a}|~%!#$&*=?^_`@example.org", "\u{FC}@b\u{FC}cher.example",
            "J\u{FC}rgen M\u{FC}ller", "\u{674E}\u{5C0F}\u{9F99}", "CORP\\anna",
        ]
        try await PlayedProvider.with { server, provider, browser in
            for (index, name) in names.enumerated() {
                // As some systems send it.
                let sent = try JSONEncoder().encode(name.decomposedStringWithCanonicalMapping)
                let claims = #"{"sub": "s\#(index)", "email": \#(String(decoding: sent, as: UTF8.self))}"#
                try await provider.play(claims: claims, in: browser)
                let page = try await browser.signIn()
                #expect(page.status == 303, "\(name): \(page.text)")
                let session = try #require(page.cookie("__Host-martlet"))
                let detail = try await Self.detail(server, browser, session)
                #expect(detail?.name.utf8.elementsEqual(name.utf8) == true, "\(name)")
                let place = server.baseURL + "/api/v1" + RequestPath.text(["administrators", name])
                let found = try await browser.send("GET", place, headers: ["Authorization": "Bearer \(session)"])
                #expect(found.status == 200, "\(name): \(found.text)")
            }
        }
    }

    @Test(arguments: ["foreign-metadata", "plain-endpoint", "plain-challenge"])
    func metadataThatIsNotItsOwnIsRefused(_ variant: String) async throws {
        try await PlayedProvider.with { server, provider, browser in
            try await provider.play(variant, in: browser)
            let page = try await browser.send("GET", server.baseURL + "/sign-in/oidc")
            #expect(page.status == 403 && page.shows(OpenIDRefusal.metadata.rule))
        }
    }

    @Test func aWrongSecretIsRefused() async throws {
        try await PlayedProvider.with(secret: "another") { _, _, browser in
            let page = try await browser.signIn()
            #expect(page.status == 403 && page.shows(OpenIDRefusal.code.rule))
        }
    }

    // MARK: A program

    private static let state = String(repeating: "s", count: 43)
    private static let verifier = String(repeating: "v", count: 43)
    private static var query: String {
        "?port=40000&state=\(state)&challenge=\(Proof.challenge(of: verifier))"
    }

    /// A program that listens on this machine gets a grant, which is good once, for a minute, with its verifier.
    @Test func aProgramExchangesItsGrantOnce() async throws {
        let clock = TestClock(stands: true)
        try await PlayedProvider.with(clock: clock) { server, _, browser in
            func redeem(_ grant: String, _ verifier: String) async throws -> Browser.Page {
                let wish = try AdminJSON.encode(SignInGrantRequest(grant: grant, verifier: verifier))
                return try await browser.send("POST", server.baseURL + "/sign-in/oidc/session", body: wish)
            }
            func grant() async throws -> String {
                let page = try await browser.signIn(Self.query)
                let location = try #require(page.location)
                #expect(location.hasPrefix("http://127.0.0.1:40000/?") && location.contains("state=\(Self.state)"))
                #expect(page.cookie("__Host-martlet") == nil)
                return try Self.value("grant", location)
            }
            let first = try await grant()
            let answer = try await redeem(first, Self.verifier)
            #expect(answer.status == 200, "\(answer.text)")
            let token = try AdminJSON.decode(SessionAnswer.self, from: answer.body).token
            #expect(try await Self.detail(server, browser, token)?.name == "anna@example.org")
            #expect(try await redeem(first, Self.verifier).status == 401, "used again")
            let second = try await grant()
            #expect(try await redeem(second, String(repeating: "w", count: 43)).status == 401)
            #expect(try await redeem(second, Self.verifier).status == 401, "a wrong verifier uses it up")
            let third = try await grant()
            clock.advance(by: 61)
            #expect(try await redeem(third, Self.verifier).status == 401)
        }
    }

    /// Nobody is sent anywhere but to a port of their own machine.
    @Test(arguments: [
        "?port=80", "?port=40000", "?port=40000@evil.example", "?port=40000&state=short&challenge=short",
        "?port=0x9c40&state=\(String(repeating: "s", count: 43))&challenge=\(String(repeating: "c", count: 43))",
        "?port=40000&state=\(String(repeating: "%0a", count: 43))&challenge=\(String(repeating: "c", count: 43))",
    ]) func aProgramNamesAPortAndNothingElse(_ query: String) async throws {
        try await PlayedProvider.with { server, _, browser in
            let page = try await browser.send("GET", server.baseURL + "/sign-in/oidc" + query)
            #expect(page.status == 400 && page.location == nil, "\(page.text)")
        }
    }

    // MARK: help

    private static func detail(_ server: TestServer, _ browser: Browser, _ token: String) async throws -> SessionDetail?
    {
        let answer = try await browser.send(
            "GET", server.baseURL + "/api/v1/session", headers: ["Authorization": "Bearer \(token)"])
        return answer.status == 200 ? try AdminJSON.decode(SessionDetail.self, from: answer.body) : nil
    }

    private static func value(_ name: String, _ location: String) throws -> String {
        let items = try #require(URLComponents(string: location)?.percentEncodedQueryItems)
        return try #require(items.first { $0.name == name }?.value)
    }
}
