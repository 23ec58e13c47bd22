import AdminMessages
import AsyncHTTPClient
import Foundation
import Testing

@testable import ServerHTTP

/// Forms come from pages of ours and within bounds, or they change nothing.
@Suite("Console: forms")
struct ConsoleFormTests {
    private static let path = "/console/account/sign-out-elsewhere"
    private static let ours = ["Sec-Fetch-Site": "same-origin"]

    private static func run(_ test: (ConsoleBrowser, AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    try await test(browser, admin)
                }
            }
        }
    }

    @Test("a form without the session's own token, or from another site, is refused and changes nothing")
    func foreignForms() async throws {
        try await Self.run { (browser, admin) async throws in
            let token = try await browser.formToken()
            let signedIn = browser.token
            // Another session of the same person, in another browser: in the same one the first would end.
            browser.token = nil
            try await browser.signIn()
            let other = try await browser.formToken()
            browser.token = signedIn
            try #require(try await browser.formToken() == token)
            let host = browser.server.baseURL
            let attempts: [([String: String], [String: String])] = [
                (Self.ours, [:]), (Self.ours, ["form-token": ""]), (Self.ours, ["form-token": other]),
                (Self.ours, ["form-token": String(token.dropLast())]),
                (["Sec-Fetch-Site": "cross-site"], ["form-token": token]),
                (["Sec-Fetch-Site": "same-site"], ["form-token": token]),
                (["Sec-Fetch-Site": "none"], ["form-token": token]),
                (["Sec-Fetch-Site": "cross-site", "Origin": host], ["form-token": token]),
                (["Origin": "https://evil.example"], ["form-token": token]),
                (["Origin": "null"], ["form-token": token]),
                (["Origin": "\(host).evil.example"], ["form-token": token]), ([:], ["form-token": token]),
            ]
            for (headers, fields) in attempts {
                let answer = try await browser.send("POST", Self.path, headers, fields)
                #expect(answer.status == 403, "\(headers) \(fields)")
                #expect(answer.text.contains("did not come from a page of your session"))
            }
            #expect(try await admin.send("GET", "/session").status == 200)
            let older = try await browser.send("POST", Self.path, ["Origin": host], ["form-token": token])
            #expect(older.status == 303)
            #expect(try await admin.send("GET", "/session").status == 401)
        }
    }

    @Test("nobody is signed in by another site's form")
    func foreignSignIn() async throws {
        try await Self.run { (browser, _) async throws in
            browser.token = nil
            let fields = ["name": "admin", "password": AdminClient.password]
            for headers in [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"], [:]] {
                let answer = try await browser.send("POST", "/console/sign-in", headers, fields)
                #expect(answer.status == 403 && answer.headers["set-cookie"] == nil)
            }
        }
    }

    @Test("only POST changes something, and no page answers another method")
    func methods() async throws {
        try await Self.run { (browser, admin) async throws in
            #expect(try await browser.get(Self.path).status == 404)
            #expect(try await browser.get("/console/sign-out").status == 404)
            for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
                let answer = try await browser.send(method, "/console/account", Self.ours, nil)
                #expect(answer.status == 404, "\(method)")
            }
            #expect(try await admin.send("GET", "/session").status == 200)
        }
    }

    @Test("a form is bounded, and of the one kind that browsers send")
    func bounds() async throws {
        try await Self.run { (browser, _) async throws in
            let token = try await browser.formToken()
            func send(_ body: String, type: String = "application/x-www-form-urlencoded") async throws -> UInt {
                let headers = [
                    "Sec-Fetch-Site": "same-origin", "Content-Type": type,
                    "Cookie": "__Host-martlet=\(browser.token ?? "")",
                ]
                return try await browser.client.send(
                    "POST", browser.server.baseURL + Self.path, headers: headers,
                    body: Data("form-token=\(token)\(body)".utf8)
                ).status
            }
            #expect(try await send("&a=" + String(repeating: "a", count: ServerLimits().consoleFormBytes)) == 413)
            #expect(try await send(String(repeating: "&a=b", count: 8_192)) == 413)
            #expect(try await send("&a=%zz") == 400)
            #expect(try await send("&a=%f") == 400)
            #expect(try await send("&a=%ff") == 400)
            #expect(try await send("", type: "text/plain") == 415)
            #expect(try await send("&form-token=\(token)") == 403)
            #expect(try await send(String(repeating: "&a=b", count: 8_191)) == 303)
            let query = String(repeating: "a=b&", count: 65)
            #expect(try await browser.get("/console/account?\(query)").status == 413)
            #expect(try await browser.get("/console/%ff").status == 404)
        }
    }
}
