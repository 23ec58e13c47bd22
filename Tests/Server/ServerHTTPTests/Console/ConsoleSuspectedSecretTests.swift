import AdminMessages
import Foundation
import InputBounds
import Testing

/// A value that looks like a secret comes into user defaults by the console only once a box for it is ticked, and that box
/// is shown only beside the refusal.
struct ConsoleSuspectedSecretTests {
    private static let box = "name=\"force\""

    private static func with(_ test: (AdminClient, ConsoleBrowser) async throws -> Void) async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let secret = PropertyListValue.dictionary(["apiToken": .string("planted-in-a-dictionary")])
            try await admin.assignLandmarks(secret.xml(), group: "pupils")
            try await test(admin, browser)
        }
    }

    @Test("an assignment that would deliver one as user defaults is made by the ticked box alone")
    func assignment() async throws {
        try await Self.with { (admin, browser) async throws in
            #expect(try await browser.post("/console/groups", ["name": "teachers"]).status == 303)
            let page = "/console/apps/org.swift.landmarks/assignments"
            #expect(try await !browser.get(page).text.contains(Self.box))
            let wish = ["group": "teachers", "configuration": "default", "trust": "verified", "delivery": "both"]
            let refused = try await browser.post(page, wish)
            #expect(refused.status == 422 && refused.text.contains(Self.box), "\(refused.text)")
            #expect(refused.text.contains("<code>apiToken</code> looks like a secret"), "\(refused.text)")
            #expect(!refused.text.contains("planted-in-a-dictionary"))
            #expect(try await admin.send("GET", "/assignments/teachers/org.swift.landmarks").status == 404)
            #expect(try await browser.post(page, wish.merging(["force": "1"]) { $1 }).status == 303)
            let made: Assignment = try await admin.get("/assignments/teachers/org.swift.landmarks")
            #expect(made.delivery == "both")
        }
    }

    @Test("a command for a group that brings one is begun by the ticked box alone")
    func groupCommand() async throws {
        try await Self.with { (_, browser) async throws in
            let page = "/console/groups/pupils/command"
            let wish = [
                "kind": "Settings", "key.Identifier": "org.swift.landmarks", "perSecond": "50",
                "key.Configuration": #"{"proxy": "https://anna:planted@proxy.example.org"}"#,
            ]
            #expect(try await !browser.get(page + "?kind=Settings").text.contains(Self.box))
            let refused = try await browser.post(page, wish)
            #expect(refused.status == 422 && refused.text.contains(Self.box), "\(refused.text)")
            #expect(refused.text.contains("<code>proxy</code> looks like a secret"), "\(refused.text)")
            #expect(try await browser.post(page, wish.merging(["force": "1"]) { $1 }).status == 303)
        }
    }
}
