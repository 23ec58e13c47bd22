import AdminMessages
import Foundation
import Testing

/// S4-SPEC-06: what an app publishes can be read where its administrator is.
@Suite("Console: specifications")
struct ConsoleSpecificationTests {
    private static func document(website: String) -> Data {
        Data(
            #"""
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "title": "Field Notes",
                "x-app": {"bundleIdentifier": "com.example.notes", "version": "3.1", "website": "\#(website)"},
                "properties": {"server": {"type": "string", "title": "Server", "description": "Where <notes> are kept."}},
                "x-secrets": [{"kind": "password", "identifier": "notes", "purpose": "To sign in."}],
                "x-errors": [{"code": 100, "name": "noServer", "meaning": "There is no such server.",
                    "remedy": "Write its address."}]
            }
            """#.utf8)
    }

    @Test(
        "S4-SPEC-06: the app's page leads to its specification with keys, secrets, the table of codes and the public address"
    )
    func theSpecificationIsAPage() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let app = App(bundleIdentifier: "com.example.notes", name: "Notes")
                #expect(try await admin.send("PUT", "/apps/com.example.notes", app).status == 200)
                func set(_ website: String) async throws -> UInt {
                    try await admin.send(
                        "PUT", "/apps/com.example.notes/specifications/3.1",
                        headers: ["Content-Type": "application/json"], body: Self.document(website: website)
                    ).status
                }
                for website in [
                    "javascript:alert(1)", "http://notes.example/", "https://u:p@notes.example/", "https://",
                ] {
                    #expect(try await set(website) == 422, "\(website)")
                }
                #expect(try await set("https://notes.example/configuration") == 200)
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    let address = "/console/apps/com.example.notes/specifications/3.1"
                    let overview = try await browser.get("/console/apps/com.example.notes")
                    #expect(overview.text.contains("href=\"\(address)\""), "the app's page leads there")
                    let page = try await browser.get(address)
                    #expect(page.status == 200)
                    for text in [
                        "<code>server</code>", "Where &lt;notes&gt; are kept.", "<code>notes</code>", "To sign in.",
                        "<code>100</code>", "noServer: There is no such server.", "Write its address.",
                        "<a href=\"https://notes.example/configuration\" rel=\"noreferrer noopener\">",
                    ] {
                        #expect(page.text.contains(text), "\(text)")
                    }
                    #expect(try await browser.get("/console/apps/com.example.notes/specifications/9").status == 404)
                }
            }
        }
    }
}
