import AdminMessages
import Foundation
import Management
import TestLog
import Testing

@testable import ServerHTTP

/// C15: a disk that takes nothing is said as such to whoever asks for a change, and what is there is read.
@Suite struct DiskRefusalTests {
    /// Red with 500 and “The server failed”.
    @Test func aFullDiskIs507AndReadsGoOn() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "Before"))
                let path = "/apps/org.swift.landmarks/configurations/default"
                // Larger than what is free in any page.
                let large = AdminClient.configuration(title: (0..<5_000).map { "\($0)" }.joined(separator: " "))
                try await RefusingDisk.fill(server.store)
                let refused = try await admin.send("PUT", path, body: large)
                #expect(refused.status == 507, "\(refused.text)")
                let problem = try AdminJSON.decode(AdminMessages.Problem.self, from: refused.body)
                #expect(problem.type == "urn:martlet:problem:full")
                #expect(problem.title.contains("the disk of the database is full"), "\(problem.title)")
                let detail = try #require(problem.detail)
                #expect(detail.contains(".sqlite") && detail.contains("bytes of its disk are free"), "\(detail)")
                #expect(refused.headers["retry-after"] == "60")

                #expect(try await admin.send("GET", path).text.contains("Before"))
                #expect(try await admin.client.send("GET", server.baseURL + "/healthz").status == 200)
                try await RefusingDisk.makeRoom(server.store)
                #expect(try await admin.send("PUT", path, body: large).status == 200)
            }
        }
    }

    /// Red where the server was ready for as long as its last look counted, and again after the next trial.
    @Test func afterTheFirst507TheServerIsNotReady() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "Before"))
                let large = AdminClient.configuration(title: (0..<5_000).map { "\($0)" }.joined(separator: " "))
                #expect(try await admin.client.send("GET", server.baseURL + "/readyz").status == 200)
                try await RefusingDisk.fill(server.store)
                let path = "/apps/org.swift.landmarks/configurations/default"
                let refused = try await admin.send("PUT", path, body: large)
                #expect(refused.status == 507)
                for _ in 0..<3 {
                    let ready = try await admin.client.send("GET", server.baseURL + "/readyz")
                    #expect(ready.status == 503 && ready.text.contains("the disk of the database is full"))
                }
                let health: Health = try await admin.get("/health")
                #expect(!health.ready && health.fault == "the disk of the database is full")
            }
        }
    }

    /// Red where the console says only that the server failed, or not where the disk is.
    @Test func theConsoleSaysWhichDiskIsFull() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "Before"))
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    browser.token = admin.token
                    // Larger than what is free in any page.
                    let keys = (0..<2_000).map { #""k\#($0)": {"type": "string"}"# }.joined(separator: ", ")
                    let form = [
                        "text": #"""
                        {"type": "object", "x-app": {"bundleIdentifier": "org.swift.landmarks", "version": "7"},
                          "properties": {\#(keys)}}
                        """#
                    ]
                    let page = "/console/apps/org.swift.landmarks/import"
                    try await RefusingDisk.fill(server.store)
                    let refused = try await browser.post(page, form)
                    #expect(refused.status == 507, "\(refused.text)")
                    #expect(refused.text.contains("the disk of the database is full"), "\(refused.text)")
                    #expect(refused.text.contains(".sqlite"), "the console says where")
                    #expect(refused.text.contains("bytes of its disk are free"), "and how much is left")
                    try await RefusingDisk.makeRoom(server.store)
                    let taken = try await browser.post(page, form)
                    #expect(taken.status == 303, "\(taken.text)")
                }
            }
        }
    }

    /// Red: sign-in was answered with 507, so only an administrator who had signed in before could make room.
    @Test func whoIsToMakeRoomSignsInOnAFullDisk() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await RefusingDisk.fill(server.store)
                let wish = try AdminJSON.encode(SessionRequest(name: "admin", password: AdminClient.password))
                var found: SessionAnswer?
                // Pages that are begun take some sessions more.
                for _ in 1...500 where found == nil {
                    let answer = try await admin.client.send("POST", admin.base + "/session", body: wish)
                    try #require(answer.status == 200, "\(answer.text)")
                    let opened = try AdminJSON.decode(SessionAnswer.self, from: answer.body)
                    if opened.expires.timeIntervalSinceNow < 3_700 { found = opened }
                }
                let opened = try #require(found)
                #expect(server.log.all.contains { $0.contains("signed in for an hour at most") })
                #expect(!server.log.all.contains { $0.contains(opened.token) })
                let late = AdminClient(client: admin.client, base: admin.base, token: opened.token)
                #expect(try await late.send("GET", "/health").status == 200)
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    browser.token = opened.token
                    #expect(try await browser.get("/console/health").status == 200)
                }
                #expect(try await late.send("DELETE", "/session").status == 204)
                #expect(try await late.send("GET", "/health").status == 401)
            }
        }
    }

    /// Red with 500; whoever has no session, or is a device, is not told where the disk is.
    @Test func aDiskThatCannotBeWrittenToIs503() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await RefusingDisk.setReadOnly(true, server.store)
                    let sentence = "the disk of the database cannot be written to"
                    let change = try await admin.send("POST", "/groups", AdminMessages.Group(name: "later"))
                    #expect(change.status == 503 && change.text.contains(sentence), "\(change.text)")
                    #expect(change.text.contains(".sqlite"), "who manages hears where")
                    let checkedIn = try await device.updateToken(magic: "another")
                    #expect(checkedIn.status == 503 && !checkedIn.text.contains("sqlite"), "\(checkedIn.text)")
                    let signIn = SessionRequest(name: "admin", password: AdminClient.password)
                    let opened = try await admin.client.send(
                        "POST", admin.base + "/session", body: AdminJSON.encode(signIn))
                    #expect(opened.status == 503 && !opened.text.contains("sqlite"), "\(opened.text)")
                    #expect(try await admin.send("GET", "/groups").status == 200)

                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        browser.token = admin.token
                        let page = try await browser.post("/console/new/person", ["userName": "carl"])
                        #expect(page.status == 503 && page.text.contains(sentence), "\(page.text)")
                        #expect(page.text.contains(".sqlite"), "the console says where")
                    }
                    try await RefusingDisk.setReadOnly(false, server.store)
                    #expect(try await device.updateToken(magic: "another").status == 200)
                }
            }
        }
    }

    @Test func whoeverMayNotKnowIsNotToldWhereTheDiskIs() {
        let cases: [(StoreDiskRefusal.Cause, Int, String)] = [
            (.full, 507, "full"), (.readOnly, 503, "read-only"), (.denied, 503, "write-denied"),
            (.failing, 503, "disk-failing"), (.unreachable, 503, "database-unreachable"),
            (.moved, 503, "database-moved"),
        ]
        for (cause, status, code) in cases {
            let refusal = StoreDiskRefusal(cause, path: "/var/lib/martlet-server/martlet.sqlite", freeBytes: 4_096)
            let problem = HTTPProblem(refusal).value
            #expect(problem.status == status && problem.type == "urn:martlet:problem:\(code)")
            #expect(problem.detail == nil && !problem.title.contains("/"))
            #expect(refusal.detail.contains("/var/lib/martlet-server/martlet.sqlite"))
            #expect(refusal.commandDetail.contains("/var/lib/martlet-server/martlet.sqlite, 4096 bytes"))
        }
    }

    /// Red where a damaged database was "The server failed".
    @Test func aDamagedDatabaseIs503() {
        let log = LogLines()
        let damage = StoreDamage(.malformed, path: "/var/lib/martlet-server/martlet.sqlite")
        let problem = HTTPProblem(answering: damage, log.logger()).value
        #expect(problem.status == 503 && problem.type == "urn:martlet:problem:damaged")
        #expect(problem.detail == nil && !problem.title.contains("/") && problem.title.contains("is damaged"))
        let detailed = HTTPProblem.damaged(detail: damage.detail).value
        #expect(detailed.detail?.contains("/var/lib/martlet-server/martlet.sqlite is damaged") == true)
    }
}
