import AdminMessages
import AsyncHTTPClient
import Foundation
import InputBounds
import Testing

/// Pages say what they mean, and where nothing is what to do.
@Suite("Console: it explains itself")
struct ConsoleExplanationTests {
    private static let app = "/console/apps/org.swift.landmarks"

    private static func with(_ test: (AdminClient, ConsoleBrowser) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    let app = App(bundleIdentifier: "org.swift.landmarks", name: "Landmarks")
                    try #require(try await admin.send("PUT", "/apps/org.swift.landmarks", app).status == 200)
                    try await test(admin, browser)
                }
            }
        }
    }

    @Test("an app that has nothing leads to where it gets something; whoever may not do that is told who may")
    func emptyApp() async throws {
        try await Self.with { (admin, browser) async throws in
            let ways = [
                ("configurations", "Make the first one", "Somebody who may configure the app makes the first one"),
                ("assignments", "Give it to a group", "Somebody who may assign apps gives it to a group"),
                ("import", "Import it", "Somebody who may configure the app imports it"),
            ]
            try await browser.signIn()
            let page = try await browser.get(Self.app).text
            for (place, words, _) in ways {
                #expect(
                    page.contains("<a href=\"\(Self.app)/\(place)\">\(words)</a>, or use <code>martlet "), "\(page)")
                #expect(try await browser.get("\(Self.app)/\(place)").status == 200)
            }
            #expect(page.contains("says <a href=\"\(Self.app)/sources\">"))
            #expect(page.contains("On no device") && page.contains("No device gets this app or reports it."))
            let devices = try await browser.get("/console/devices").text
            #expect(devices.contains("<a href=\"/console/enrollment\">make one</a>"))
            try await browser.signIn(as: .reader, admin)
            let read = try await browser.get(Self.app).text
            for (_, words, instead) in ways { #expect(!read.contains(">\(words)</a>") && read.contains(instead)) }
            #expect(try await browser.get("/console/devices").text.contains("ask the help desk for one"))
        }
    }

    @Test("each number of the server's health says what it means, and each certificate what it is for")
    func health() async throws {
        try await Self.with { (_, browser) async throws in
            try await browser.signIn()
            let page = try await browser.get("/console/health").text
            let server = try #require(
                page.firstMatch(of: /(?s)<section class="panel" data-part="Server">.*?<\/section>/))
            let facts = server.output.matches(of: /<dt>/).count
            #expect(
                facts >= 6 && server.output.matches(of: /<p class="hint">[^<]+<\/p><\/dd>/).count == facts, "\(page)")
            #expect(page.contains("Ready</span><p class=\"hint\">Devices and administrators are answered."))
            #expect(page.contains("Ends soon: within 30 days."))
        }
    }

    @Test("what an entry of the activity says is shown by name and value, and as it is kept")
    func activity() async throws {
        try await Self.with { (admin, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            try await browser.signIn()
            let page = try await browser.get("/console/activity?action=configuration.set").text
            let entries: Page<AuditEntry> = try await admin.get("/audit?action=configuration.set")
            let entry = try #require(entries.items.first)
            #expect(page.contains("<dt>Version</dt><dd>1</dd>"), "\(page)")
            #expect(page.contains("<summary>As JSON<span class=\"unseen\">, entry \(entry.sequence)</span></summary>"))
            let kept = try #require(page.firstMatch(of: /<\/summary><code>([^<]+)<\/code><\/details>/)).1
            let text = kept.replacing("&quot;", with: "\"")
            #expect(try AdminJSON.decode(JSON.self, from: Data(text.utf8)) == entry.details)
        }
    }

    @Test("a group says who is in it in a part of its own, and an empty one where it gets apps")
    func group() async throws {
        try await Self.with { (admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "new")).status == 201)
            try await browser.signIn()
            let page = try await browser.get("/console/groups/new").text
            #expect(page.contains("<section class=\"panel\" data-part=\"Who is in it\">"), "\(page)")
            #expect(page.contains("own page, under <a href=\"/console/apps\">Apps</a>"))
        }
    }
}
