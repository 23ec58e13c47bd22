import AdminMessages
import Foundation
import Testing

/// What one administrator gave or published is not replaced by another who did not see it.
@Suite("Console: replacement")
struct ConsoleReplacementTests {
    private static let app = "org.swift.landmarks"

    private static func with(_ test: (AdminClient, ConsoleBrowser) async throws -> Void) async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "a"))
            try await test(admin, browser)
        }
    }

    /// The condition that the page's form carries.
    private static func base(in text: String) -> String {
        let form = text.components(separatedBy: "<main").last ?? ""
        let bases = form.matches(of: /name="base" value="([^"]*)"/).map { String($0.1) }
        return bases.first { !$0.isEmpty }?.replacing("&quot;", with: "\"") ?? ""
    }

    /// Red: the second assignment under one identifier took the first one's place, and the removal of what was seen
    /// removed what was there by then.
    @Test("a secret that a group gets under an identifier is replaced and taken away only by who saw it")
    func secrets() async throws {
        try await Self.with { (admin, browser) async throws in
            for name in ["first", "second"] {
                let secret = SecretRequest.password(PasswordSecret(password: "p"))
                try #require(try await admin.send("PUT", "/secrets/\(name)", secret).status == 200)
            }
            let slot = "/secret-assignments/teachers/\(Self.app)/password/server"
            func kept() async throws -> String { try await admin.get(slot, SecretAssignment.self).secret }
            try #require(
                try await admin.send("PUT", slot, SecretAssignmentRequest(secret: "first")).status == 200)
            let page = "/console/apps/\(Self.app)/secrets"
            let wish = ["identifier": "server", "secret": "second", "group": "teachers"]
            let told = try await browser.post(page, wish)
            #expect(told.status == 412 && told.text.contains("<code>first</code>"), "\(told.text)")
            #expect(try await kept() == "first")
            let again = try await browser.post(page, wish.merging(["base": Self.base(in: told.text)]) { $1 })
            #expect(again.status == 303, "\(again.text)")
            #expect(try await kept() == "second")

            let place = ["group": "teachers", "kind": "password", "identifier": "server", "extension": ""]
            let late = try await browser.post(page + "/remove", place.merging(["secret": "first"]) { $1 })
            #expect(late.status == 412, "\(late.text)")
            #expect(try await kept() == "second")
            #expect(
                try await browser.post(page + "/remove", place.merging(["secret": "second"]) { $1 }).status == 303)
            #expect(try await admin.send("GET", slot).status == 404)
        }
    }

    /// Red: a secret was given under whatever identifier somebody wrote, and the app never found it.
    @Test("a secret that the app does not ask for is refused with the nearest that it asks for, unless it is forced")
    func secretsThatNobodyAsksFor() async throws {
        let specification = #"""
            {"type": "object", "x-app": {"bundleIdentifier": "org.swift.landmarks", "version": "1"},
              "x-secrets": [{"kind": "password", "identifier": "news-account"}]}
            """#
        try await Self.with { (admin, browser) async throws in
            let secret = SecretRequest.password(PasswordSecret(password: "p"))
            try #require(try await admin.send("PUT", "/secrets/account", secret).status == 200)
            let published = try await admin.send(
                "PUT", "/apps/\(Self.app)/specifications/1", headers: ["Content-Type": "application/json"],
                body: Data(specification.utf8))
            try #require(published.status == 200, "\(published.text)")
            let slot = "/secret-assignments/teachers/\(Self.app)/password/new-account"
            let wish = SecretAssignmentRequest(secret: "account")
            let refused = try await admin.send("PUT", slot, wish)
            #expect(refused.status == 422)
            let problem = try AdminJSON.decode(Problem.self, from: refused.body)
            #expect(problem.findings?.map(\.path) == ["new-account"])
            #expect(problem.findings?.first?.suggestion == "Did you mean \"news-account\"?")

            let page = "/console/apps/\(Self.app)/secrets"
            let form = ["identifier": "new-account", "secret": "account", "group": "teachers"]
            let told = try await browser.post(page, form)
            #expect(told.status == 422 && told.text.contains("name=\"force\""), "\(told.text)")
            #expect(try await browser.post(page, form.merging(["force": "1"]) { $1 }).status == 303)
            #expect(try await admin.send("PUT", slot + "?force=true", wish).status == 200)
            let asked = "/secret-assignments/teachers/\(Self.app)/password/news-account"
            #expect(try await admin.send("PUT", asked, wish).status == 200)
        }
    }

    /// Red: an import replaced what there was of the same version, of which nothing is kept.
    @Test("the specification of a version is replaced only by who was told that there is one")
    func specifications() async throws {
        func specification(_ title: String) -> String {
            #"""
            {"type": "object", "x-app": {"bundleIdentifier": "org.swift.landmarks", "version": "7"}, "title": "\#(title)",
              "properties": {"k": {"type": "string"}}}
            """#
        }
        try await Self.with { (admin, browser) async throws in
            let page = "/console/apps/\(Self.app)/import"
            func kept() async throws -> String {
                try await admin.send("GET", "/apps/\(Self.app)/specifications/7").text
            }
            #expect(try await browser.post(page, ["text": specification("Hers")]).status == 303)
            #expect(try await browser.post(page, ["text": specification("Hers")]).status == 303, "it is the same")
            let told = try await browser.post(page, ["text": specification("His")])
            #expect(told.status == 412 && told.text.contains("has another"), "\(told.text)")
            #expect(try await kept().contains("Hers"))
            let base = Self.base(in: told.text)
            let again = try await browser.post(page, ["text": specification("His"), "base": base])
            #expect(again.status == 303, "\(again.text)")
            #expect(try await kept().contains("His"))
            let late = try await browser.post(page, ["text": specification("Hers"), "base": base])
            #expect(late.status == 412, "what was seen is not what is there: \(late.text)")
        }
    }
}
