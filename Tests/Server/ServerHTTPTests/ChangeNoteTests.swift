import AdminMessages
import Foundation
import ServerHTTP
import TestLog
import Testing

/// What an operator reads in the log of what administrators do.
struct ChangeNoteTests {
    /// Red where the line of a `PUT` was for debugging, and no line said what it was about.
    @Test func eachChangeIsALineWithOperationAndSubject() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                #expect(try await admin.send("PUT", "/people/anna", PersonDetails(fullName: "Anna")).status < 300)
                #expect(server.log.say("info change", "operation=setPerson", "subject=anna", "administrator=admin"))
                let before = Self.changes(server.log)
                #expect(try await admin.send("GET", "/people").status == 200)
                #expect(try await admin.send("DELETE", "/people/nobody").status == 404)
                #expect(Self.changes(server.log) == before, "neither a look nor what was refused is a change")
                #expect(try await admin.send("DELETE", "/people/anna").status == 204)
                #expect(Self.changes(server.log) == before + 1)
            }
        }
    }

    /// Red where the console ended a session that the browser did not have, and the log and the count said that somebody
    /// had been refused.
    @Test func aSignInThatSucceedsRefusesNobody() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    let before = server.server.refusals(.notLoggedIn)
                    try await browser.signIn()
                    #expect(try await browser.get("/console/account").status == 200)
                    // One that has ended meanwhile.
                    browser.token = "MADEUP"
                    try await browser.signIn()
                    #expect(!server.log.say("access refused"))
                    #expect(server.server.refusals(.notLoggedIn) == before)
                    _ = try await admin.client.send("DELETE", admin.base + "/session")
                    #expect(server.log.say("access refused", "not-logged-in"), "a refusal is logged")
                }
            }
        }
    }

    /// Red where every line of the console's requests has the same route, `/console/**`.
    @Test func aRequestOfTheConsoleIsLoggedByItsPageAndWithoutNames() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                #expect(try await admin.send("PUT", "/people/anna", PersonDetails(fullName: "Anna")).status < 300)
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    for path in ["/console", "/console/devices", "/console/people/anna"] {
                        #expect(try await browser.get(path).status == 200, "\(path)")
                    }
                    for route in ["/console/devices", "/console/people/{person}"] {
                        #expect(server.log.say("info request ", "method=GET", "route=\(route) "), "\(route)")
                    }
                    #expect(!server.log.all.contains { $0.contains("info request ") && $0.contains("anna") })
                }
            }
        }
    }

    private static func changes(_ log: LogLines) -> Int { log.all.count { $0.hasPrefix("info change ") } }
}
