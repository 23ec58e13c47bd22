import AdminMessages
import AsyncHTTPClient
import Foundation
import Testing

/// The pages of long work, before the real API and the server that does it.
@Suite("Console: jobs")
struct ConsoleJobTests {
    private static let page = "/console/jobs"

    private static func with(
        _ test: (TestServer, AdminClient, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    try await test(server, admin, browser)
                }
            }
        }
    }

    @Test("a check of the audit log is begun from two pages; the job's page says what came of it")
    func verification() async throws {
        try await Self.with { (_, admin, browser) async throws in
            #expect(try await browser.get(Self.page).text.contains("No jobs"))
            for page in [Self.page, "/console/activity"] {
                let text = try await browser.get(page).text
                #expect(text.contains("Check the audit log") && text.contains("action=\"\(Self.page)\""), "\(page)")
            }
            let begun = try await browser.post(Self.page)
            let place = try #require(begun.headers["location"]?.split(separator: "?").first.map(String.init))
            #expect(begun.status == 303 && place.hasPrefix(Self.page + "/"))
            let id = String(place.dropFirst(Self.page.count + 1))
            let job = try await admin.ended("/jobs/\(id)")
            let found = try AdminJSON.decode(AuditVerification.self, from: AdminJSON.encode(#require(job.result)))
            let one = try await browser.get(place).text
            #expect(one.contains("Intact") && one.contains("<dd>\(found.entries)</dd>"), "\(one)")
            #expect(try one.contains(#require(found.head)) && !one.contains("End this job"))
            #expect(one.contains("data-live=\"job\" data-job=\"\(id)\" data-source=\"/console/live\""), "\(one)")
            let list = try await browser.get(Self.page).text
            #expect(list.contains("href=\"\(place)\"") && list.contains("\(found.entries) entries"))
            #expect(list.contains("data-live=\"jobs\"") && list.contains("data-part=\"Jobs\""))
        }
    }

    @Test("what came of putting devices into a group is told with each that was refused")
    func devices() async throws {
        try await Self.with { (_, admin, browser) async throws in
            try #require(try await admin.send("POST", "/groups", Group(name: "a")).status == 201)
            let asked = try await admin.send(
                "POST", "/groups/a/devices", GroupDevicesRequest(devices: ["no-such-device"]))
            try #require(asked.status == 202, "\(asked.text)")
            let id = try AdminJSON.decode(Job.self, from: asked.body).id
            try #require(try await admin.ended("/jobs/\(id)").state == "done")
            let one = try await browser.get(Self.page + "/\(id)").text
            #expect(one.contains("no-such-device") && one.contains("<dt>Refused</dt><dd>1</dd>"), "\(one)")
            #expect(try await browser.get(Self.page).text.contains("0 in the group, 1 refused"))
        }
    }

    @Test("a job that has not ended is ended by a press, and its page says so")
    func cancelled() async throws {
        try await Self.with { (server, admin, browser) async throws in
            // The server may take what waits, once a minute: then the next one is tried.
            for attempt in 1...5 {
                let job = "waiting\(attempt)"
                try await server.keepWaiting(job, of: "admin")
                let page = Self.page + "/\(job)"
                let waiting = try await browser.get(page).text
                let answer = try await browser.post(page + "/cancel")
                #expect(answer.headers["location"] == page + "?done=ended")
                guard try await admin.get("/jobs/\(job)", Job.self).state == "cancelled" else { continue }
                #expect(waiting.contains("End this job") && waiting.contains("Look again"), "\(waiting)")
                let ended = try await browser.get(page).text
                #expect(ended.contains("Ended early") && !ended.contains("End this job"), "\(ended)")
                return
            }
            Issue.record("no job was ended before its time")
        }
    }

    @Test("a reader sees no job of others and begins none; an auditor sees them, and ends only their own")
    func readers() async throws {
        try await Self.with { (server, admin, _) async throws in
            let started = try await admin.send("POST", "/audit/verification")
            let job = try AdminJSON.decode(Job.self, from: started.body)
            _ = try await admin.ended("/jobs/\(job.id)")
            try await server.keepWaiting("waiting", of: "admin")
            for (role, sees) in [(AdministratorRole.reader, false), (.auditor, true)] {
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn(as: role, admin)
                    let list = try await browser.get(Self.page)
                    #expect(list.status == 200 && list.text.contains(job.id) == sees, "\(role)")
                    #expect(list.text.contains("Check the audit log") == sees)
                    #expect(try await browser.get(Self.page + "/\(job.id)").status == (sees ? 200 : 404))
                    #expect(try await !browser.get(Self.page + "/waiting").text.contains("End this job"))
                    #expect(try await browser.post(Self.page + "/waiting/cancel").status >= 400)
                    #expect(try await browser.post(Self.page).status == (sees ? 303 : 403))
                }
            }
            #expect(try await admin.get("/jobs/waiting", Job.self).state != "cancelled")
        }
    }

    @Test("the account leads to the description of the API")
    func reference() async throws {
        try await Self.with { (_, _, browser) async throws in
            let page = try await browser.get("/console/account").text
            let address = try #require(page.firstMatch(of: /href="([^"]+)">What the API can do</))
            let reference = try await browser.get(String(address.1))
            #expect(reference.status == 200 && reference.text.contains("listWebhooks"), "\(reference.status)")
        }
    }
}
