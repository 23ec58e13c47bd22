import AdminMessages
import DeviceMessages
import Foundation
import Testing

/// A command for every device of a group, from the group's page.
@Suite("Console: commands to groups")
struct ConsoleGroupCommandTests {
    private static let page = "/console/groups/teachers/command"

    @Test("a command is chosen on the group's way there, sent by a job, and the job's page says for how many")
    func sent() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, _, browser) async throws in
            #expect(try await browser.get("/console/groups/teachers").text.contains("href=\"\(Self.page)\""))
            let choice = try await browser.get(Self.page).text
            #expect(choice.contains("href=\"\(Self.page)?kind=ProfileList\""), "\(choice)")
            let form = try await browser.get(Self.page + "?kind=ProfileList").text
            #expect(form.contains("name=\"perSecond\"") && form.contains("value=\"50\""), "\(form)")
            let begun = try await browser.post(Self.page, ["kind": "ProfileList", "perSecond": "9"])
            let place = try #require(begun.headers["location"]?.split(separator: "?").first.map(String.init))
            try #require(begun.status == 303 && place.hasPrefix("/console/jobs/"), "\(begun.text)")
            let id = String(place.dropFirst("/console/jobs/".count))
            #expect(try await admin.ended("/jobs/\(id)").state == "done")
            let one = try await browser.get(place).text
            #expect(one.contains("A command for every device of a group"), "\(one)")
            #expect(one.contains("<dt>Queued for</dt><dd>1 device</dd>"), "\(one)")
            #expect(try await browser.get("/console/jobs").text.contains("queued for 1, 0 refused"))
        }
    }

    @Test("what cannot be taken back is confirmed first, and a wrong number is said with the form")
    func refused() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let unconfirmed = try await browser.post(Self.page, ["kind": "EraseDevice"])
            #expect(unconfirmed.status == 422 && unconfirmed.text.contains("Tick this first"), "\(unconfirmed.text)")
            let wrong = try await browser.post(Self.page, ["kind": "ProfileList", "perSecond": "0"])
            #expect(wrong.status == 422 && wrong.text.contains("role=\"alert\""), "\(wrong.text)")
            let jobs: Page<Job> = try await admin.get("/jobs")
            #expect(jobs.items.isEmpty)
            let queued: Page<CommandSummary> = try await admin.get("/devices/\(device.identifier.key)/commands")
            #expect(queued.items.isEmpty)
        }
    }

    @Test("who helps devices is offered what asks, and a reader nothing")
    func offered() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (server, admin, _, _) async throws in
            for (role, offers) in [(AdministratorRole.helpDesk, true), (.reader, false)] {
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn(as: role, admin)
                    let group = try await browser.get("/console/groups/teachers").text
                    #expect(group.contains("href=\"\(Self.page)\"") == offers, "\(role)")
                    let choice = try await browser.get(Self.page).text
                    #expect(choice.contains("kind=ProfileList") == offers, "\(role)")
                    #expect(!choice.contains("kind=EraseDevice"), "\(role)")
                }
            }
        }
    }
}
