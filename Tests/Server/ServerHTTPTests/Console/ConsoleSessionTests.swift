import AdminMessages
import AsyncHTTPClient
import Foundation
import Management
import NIOCore
import NIOHTTP1
import Testing

/// Signing in to the console and out of it, and what keeps others from doing either.
@Suite("Console: sessions")
struct ConsoleSessionTests {
    /// Runs a test with a browser and an administrator of the API whose password is no one-time password any more.
    private static func run(_ test: (ConsoleBrowser, AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in try await test(browser, admin) }
            }
        }
    }

    @Test("who is not signed in is asked to, and then sees what they wanted to see")
    func leadsBack() async throws {
        try await Self.run { (browser, _) async throws in
            let asked = try await browser.get("/console/account?a=b%26c")
            #expect(asked.status == 303)
            let location = try #require(asked.headers["location"])
            #expect(location == "/console/sign-in?next=%2Fconsole%2Faccount%3Fa%3Db%2526c")
            let page = try await browser.get(location)
            #expect(page.status == 200 && page.text.contains("value=\"/console/account?a=b%26c\""))
            let signedIn = try await browser.post(
                "/console/sign-in",
                ["name": "admin", "password": AdminClient.password, "next": "/console/account?a=b%26c"])
            #expect(signedIn.status == 303 && signedIn.headers["location"] == "/console/account?a=b%26c")
            let account = try await browser.get("/console/account?a=b%26c")
            #expect(account.status == 200 && account.text.contains("Your account"))
        }
    }

    /// Red where the API's own words for permissions stood there, such as `lookInside`.
    @Test("the account says in words what its administrator may do")
    func permissionsInWords() async throws {
        try await Self.run { (browser, _) async throws in
            try await browser.signIn()
            let page = try await browser.get("/console/account").text
            for permission in Permission.allCases where permission.rawValue.contains(where: \.isUppercase) {
                #expect(!page.contains(permission.rawValue), "\(permission)")
            }
            for words in ["see what apps are configured with", "say what other administrators may do"] {
                #expect(page.contains(words), "\(page)")
            }
        }
    }

    @Test(
        "after signing in nobody is sent elsewhere",
        arguments: [
            "https://evil.example/", "//evil.example", "/\\evil.example", "/consolevil", "javascript:alert(1)",
            "/console\\@evil.example", "/console/\u{9}/evil.example", "",
        ])
    func noOpenRedirect(_ next: String) async throws {
        try await Self.run { (browser, _) async throws in
            let answer = try await browser.post(
                "/console/sign-in", ["name": "admin", "password": AdminClient.password, "next": next])
            #expect(answer.status == 303 && answer.headers["location"] == "/console")
        }
    }

    @Test("the cookie is of this host alone, over TLS alone, out of scripts' reach, and not sent with others' forms")
    func cookieAttributes() async throws {
        try await Self.run { (browser, _) async throws in
            let cookie = try #require(try await browser.signIn().headers["set-cookie"])
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts.first?.hasPrefix("__Host-martlet=") == true)
            #expect(Set(parts.dropFirst()) == ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
        }
    }

    @Test("a token that somebody put into the browser is worth nothing after signing in")
    func noFixation() async throws {
        try await Self.run { (browser, admin) async throws in
            // Somebody's own session, put into another's browser.
            browser.token = admin.token
            try await browser.signIn()
            #expect(browser.token != admin.token)
            #expect(try await browser.get("/console/account").status == 200)
            #expect(try await admin.send("GET", "/session").status == 401)
            // One that the server never made is not taken up either.
            browser.token = "MADEUP"
            try await browser.signIn()
            #expect(browser.token != "MADEUP")
        }
    }

    @Test("a one-time password opens the page to change it and no other")
    func mustChangePassword() async throws {
        try await TestServer.run { (server) async throws in
            try await ConsoleBrowser.with(server) { (browser) async throws in
                let signedIn = try await browser.signIn("admin", server.oneTimePassword)
                #expect(signedIn.headers["location"] == "/console/password?name=admin")
                #expect(try await browser.get("/console").headers["location"] == "/console/password")
                let page = "/console/password"
                func change(_ old: String, _ new: String, _ again: String) async throws -> Answer {
                    try await browser.post(page, ["old": old, "new": new, "again": again], from: page)
                }
                let mistyped = try await change(server.oneTimePassword, AdminClient.password, "another")
                #expect(mistyped.status == 422 && mistyped.text.contains("differ"))
                let short = try await change(server.oneTimePassword, "short", "short")
                #expect(short.status == 422 && short.text.contains("12"))
                let wrong = try await change("wrong", AdminClient.password, AdminClient.password)
                #expect(wrong.status == 403 && wrong.text.contains("The old password is wrong"))
                let changed = try await change(server.oneTimePassword, AdminClient.password, AdminClient.password)
                #expect(changed.headers["location"] == "/console/account?done=password-changed")
                #expect(try await browser.get("/console").status == 200)
            }
        }
    }

    @Test("guessing at passwords is slowed down as at the API")
    func throttled() async throws {
        try await Self.run { (browser, _) async throws in
            var statuses: [UInt] = []
            for _ in 0..<12 where statuses.last != 429 {
                let wrong = try await browser.signIn("admin", "wrong")
                statuses.append(wrong.status)
                #expect(!wrong.text.contains("value=\"wrong\"") && wrong.headers["set-cookie"] == nil)
                let said = wrong.status == 401 ? "The name or the password is wrong" : "Try again in"
                #expect(wrong.text.contains(said))
            }
            #expect(statuses.prefix(5).allSatisfy { $0 == 401 } && statuses.last == 429)
        }
    }

    /// A14.
    @Test("a browser that was signed in with before is not kept waiting by guesses of strangers")
    func knownBrowser() async throws {
        try await TestServer.run(clock: TestClock(stands: true)) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    let wish = AdministratorRequest(name: "anna", role: .auditor)
                    let added = try await admin.send("POST", "/administrators", wish)
                    let once = try AdminJSON.decode(AdministratorPassword.self, from: added.body).oneTimePassword
                    // From nowhere, so that she is known at no address.
                    let session = try #require(await server.management.logIn(name: "anna", password: once).value)
                    let known = try #require(await server.management.knownBrowser(ofSession: session.token))
                    for _ in 0..<5 { #expect(try await browser.signIn("anna", "wrong").status == 401) }
                    #expect(try await browser.signIn("anna", once).status == 429)
                    let cookies = try await Self.cookies(
                        of: browser, signingIn: "anna", once, showing: "__Host-martlet-known=\(known)")
                    #expect(cookies.map { $0.prefix { $0 != "=" } } == ["__Host-martlet", "__Host-martlet-known"])
                    let kept = try #require(cookies.last)
                    #expect(kept.hasSuffix("; Path=/; Max-Age=31536000; Secure; HttpOnly; SameSite=Strict"))
                    // It signs nobody in.
                    let shown = String(kept.prefix { $0 != ";" })
                    #expect(try await browser.get("/console/account", headers: ["Cookie": shown]).status == 303)
                }
            }
        }
    }

    /// What a browser keeps of signing in.
    private static func cookies(
        of browser: ConsoleBrowser, signingIn name: String, _ password: String, showing cookie: String
    ) async throws -> [String] {
        var request = HTTPClientRequest(url: browser.server.baseURL + "/console/sign-in")
        request.method = .POST
        request.headers = [
            "Sec-Fetch-Site": "same-origin", "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded",
        ]
        request.body = .bytes(Data("name=\(name)&password=\(password)".utf8))
        let answer = try await browser.client.execute(request, timeout: .minutes(10))
        _ = try await answer.body.collect(upTo: 1 << 20)
        #expect(answer.status == .seeOther)
        return answer.headers["set-cookie"]
    }

    @Test("signing out ends the session itself, not only the browser's memory of it")
    func signsOut() async throws {
        try await Self.run { (browser, admin) async throws in
            try await browser.signIn()
            let token = try #require(browser.token)
            let out = try await browser.post("/console/sign-out")
            #expect(out.status == 303 && out.headers["set-cookie"]?.hasPrefix("__Host-martlet=; Max-Age=0;") == true)
            browser.token = token
            #expect(try await browser.get("/console/account").status == 303)
            #expect(try await admin.send("GET", "/session").status == 200)
            try await browser.signIn()
            #expect(try await browser.post("/console/sign-out-everywhere").status == 303)
            #expect(try await admin.send("GET", "/session").status == 401)
        }
    }

    @Test("signing out everywhere else keeps this session")
    func signsOutElsewhere() async throws {
        try await Self.run { (browser, admin) async throws in
            try await browser.signIn()
            let out = try await browser.post("/console/account/sign-out-elsewhere")
            #expect(out.headers["location"] == "/console/account?done=signed-out-elsewhere")
            #expect(try await admin.send("GET", "/session").status == 401)
            let account = try await browser.get("/console/account?done=signed-out-elsewhere")
            #expect(account.status == 200 && account.text.contains("Every other session of yours has ended."))
            #expect(!(try await browser.get("/console/account?done=you+won").text.contains("won")))
        }
    }
}
