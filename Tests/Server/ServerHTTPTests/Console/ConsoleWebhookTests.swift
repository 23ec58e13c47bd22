import AdminMessages
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Management
import TestLog
import Testing
import Waiting
import Webhooks

/// The pages of webhooks, before the real API and a receiver that answers.
@Suite("Console: webhooks")
struct ConsoleWebhookTests {
    private static let page = "/console/webhooks"

    private static func with(
        receiverAnswers status: HTTPResponse.Status = .noContent,
        _ test: (TestServer, AdminClient, ConsoleBrowser, WebhookReceiver) async throws -> Void
    ) async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await WebhookReceiver.run(
                    answer: { _, _ in Response(status: status) },
                    { (receiver) async throws in
                        try await ConsoleBrowser.with(server) { (browser) async throws in
                            try await browser.signIn()
                            try await test(server, admin, browser, receiver)
                        }
                    })
            }
        }
    }

    private static func add(_ name: String, _ url: String, _ admin: AdminClient) async throws {
        let wish = AdminMessages.WebhookRequest(name: name, url: url, events: ["group.*"])
        try #require(try await admin.send("POST", "/webhooks", wish).status == 201)
    }

    /// The secret that an answer shows.
    private static func secret(in text: String) throws -> String {
        try String(#require(text.firstMatch(of: /whsec_[A-Za-z0-9+\/=]{20,}/)).output)
    }

    /// The page, once it says something.
    private static func page(_ page: String, saying text: String, _ browser: ConsoleBrowser) async throws -> String {
        var last = ""
        return try await eventually("\(page) says “\(text)”, not only \(last)") { () async throws -> String? in
            last = try await browser.get(page).text
            return last.contains(text) ? last : nil
        }
    }

    @Test("a webhook is added as the API adds it; its secret is shown only once and nowhere else")
    func added() async throws {
        try await Self.with { (server, admin, browser, receiver) async throws in
            let wish = ["name": "tickets", "url": receiver.url, "events": "group.*\r\nsecret.set"]
            let wrong = try await browser.post(Self.page, wish.merging(["events": "no.such"]) { $1 })
            #expect(wrong.status == 422 && wrong.text.contains("role=\"alert\""), "\(wrong.text)")
            #expect(wrong.text.contains("value=\"\(receiver.url)\"") && wrong.text.contains("no.such</textarea>"))
            let made = try await browser.post(Self.page, wish)
            let secret = try Self.secret(in: made.text)
            #expect(made.status == 200 && made.text.contains("It is shown only once"))
            let kept: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            #expect(kept.url == receiver.url && kept.events == ["group.*", "secret.set"] && kept.author == "admin")
            let again = try await browser.post(Self.page, wish)
            #expect(again.status == 409 && again.text.contains("role=\"alert\""), "\(again.text)")
            let list = try await browser.get(Self.page).text
            #expect(list.contains("href=\"/console/webhooks/tickets\"") && list.contains(">Active<"))
            let one = try await browser.get(Self.page + "/tickets").text
            #expect(one.contains("value=\"\(receiver.url)\"") && one.contains("secret.set</textarea>"))
            for text in [list, one, again.text] { #expect(!text.contains(secret)) }
            #expect(!server.log.all.contains { $0.contains(secret) })

            let rotated = try await browser.post(Self.page + "/tickets/secret", ["overlap": "3600"])
            let second = try Self.secret(in: rotated.text)
            #expect(rotated.status == 200 && second != secret && rotated.text.contains("the secret before, too"))
            let after = try await browser.get(Self.page + "/tickets").text
            #expect(after.contains("The secret before ends") && !after.contains(second))
            let renewed: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            let ends = try #require(renewed.previousSecretEnds)
            #expect(abs(ends.timeIntervalSince(renewed.secretMade) - 3_600) < 1)
            #expect(try await browser.post(Self.page + "/tickets/remove").status == 303)
            #expect(try await admin.send("GET", "/webhooks/tickets").status == 404)
        }
    }

    /// Red if the form cannot ask for the feedback of apps.
    @Test("the feedback of apps is sent only where that is ticked, also to a webhook that is told of nothing else")
    func feedback() async throws {
        #expect(AdminMessages.Webhook.feedbackEvent == WebhookEvents.feedback)
        try await Self.with { (_, admin, browser, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            let plain = try await browser.get(Self.page + "/tickets").text
            #expect(plain.contains("name=\"feedback\"") && !plain.contains(" checked>"), "\(plain)")
            let wish = ["name": "counts", "url": receiver.url, "events": "", "feedback": "1"]
            #expect(try await browser.post(Self.page, wish).status == 200)
            let kept: AdminMessages.Webhook = try await admin.get("/webhooks/counts")
            #expect(kept.events == ["app.feedback"] && kept.feedback?.skipped == 0)
            let ticked = try await browser.get(Self.page + "/counts").text
            #expect(ticked.contains(" checked>") && ticked.contains("deleted before delivery"), "\(ticked)")
        }
    }

    /// Red: the form removed a webhook that led elsewhere by then.
    @Test("a webhook is removed only as the page showed it")
    func removedAsShown() async throws {
        try await Self.with { (_, admin, browser, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            let page = Self.page + "/tickets"
            let removal = try await browser.get(page).text.components(separatedBy: "\(page)/remove\"").last ?? ""
            #expect(removal.contains("name=\"before.events\" value=\"group.*\""), "\(removal)")
            let shown = ["before.url": receiver.url, "before.events": "group.*", "before.enabled": "yes"]
            let late = try await browser.post(page + "/remove", shown.merging(["before.events": "secret.*"]) { $1 })
            #expect(late.status == 412 && late.text.contains("role=\"alert\""), "\(late.text)")
            #expect(try await admin.send("GET", "/webhooks/tickets").status == 200)
            #expect(try await browser.post(page + "/remove", shown).status == 303)
            #expect(try await admin.send("GET", "/webhooks/tickets").status == 404)
        }
    }

    @Test("what was sent is listed with what came of it; a test and an entry are sent on demand")
    func deliveries() async throws {
        try await Self.with { (_, admin, browser, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            let page = Self.page + "/tickets"
            #expect(try await browser.get(page).text.contains("Nothing was sent to it lately."))
            #expect(try await browser.post(page + "/test").headers["location"] == page + "?done=on-its-way")
            let tested = try #require(try await receiver.events(1).last)
            #expect(String(decoding: tested.body, as: UTF8.self).contains("webhook.test"))
            #expect(try await browser.post(page + "/deliveries", ["entry": "1"]).status == 303)
            let again = try #require(try await receiver.events(2).last)
            #expect(String(decoding: again.body, as: UTF8.self).contains("\"sequence\":1"))
            let shown = try await Self.page(page, saying: "entry 1, once more", browser)
            #expect(
                shown.contains("<div>a test</div>") && shown.contains("name=\"entry\" value=\"1\""), "to be sent again")
            let taken = try await Self.page(page, saying: "it was taken", browser)
            #expect(taken.contains(">Delivered<"), "\(taken)")
            for entry in ["999999", "none", ""] {
                let none = try await browser.post(page + "/deliveries", ["entry": entry])
                #expect([404, 422].contains(none.status) && none.text.contains("role=\"alert\""), "\(none.status)")
            }
        }
    }

    @Test("a webhook in trouble is seen: in the list, on its page and from the page of the server's health")
    func trouble() async throws {
        try await Self.with(receiverAnswers: .internalServerError) { (_, admin, browser, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            try #require(try await admin.send("POST", "/groups", AdminMessages.Group(name: "a")).status == 201)
            let list = try await Self.page(Self.page, saying: ">Failing<", browser)
            #expect(list.contains(">Failing<") && list.contains("it answered 500"), "\(list)")
            let one = try await browser.get(Self.page + "/tickets").text
            for fact in ["Failing since", "Next attempt", "it answered 500"] {
                #expect(one.contains(fact), "\(fact)")
            }
            #expect(try await browser.get("/console/health").text.contains(">to the webhooks</a>"))
        }
    }

    @Test(
        "a webhook is changed and disabled in one form; a delivery meanwhile is no other edit, a change of somebody else is"
    )
    func changed() async throws {
        try await Self.with { (_, admin, browser, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            let page = Self.page + "/tickets"
            let seen = try await Self.form(page, receiver.url, browser)
            // A delivery moves the tag of the webhook.
            try #require(try await admin.send("POST", "/groups", AdminMessages.Group(name: "a")).status == 201)
            _ = try await receiver.events(1)
            _ = try await Self.page(page, saying: "it was taken", browser)
            #expect(try await Self.form(page, receiver.url, browser)["base"] != seen["base"])
            let off = try await browser.post(page, seen.merging(["enabled": "no"]) { $1 })
            #expect(off.status == 303, "\(off.text)")
            let disabled: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            #expect(disabled.state == "disabled" && disabled.events == ["group.*"])
            #expect(try await browser.get(Self.page).text.contains("by an administrator"))

            // What was seen before says that it is enabled: somebody disabled it since, and this person changes what it hears.
            let late = try await browser.post(page, seen.merging(["events": "secret.*"]) { $1 })
            #expect(late.status == 412 && late.text.contains("You changed it yourself"), "\(late.text)")
            let unchanged: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            #expect(unchanged.state == "disabled" && unchanged.events == ["group.*"])
            #expect(late.text.contains("<option value=\"no\" selected>") && late.text.contains("secret.*</textarea>"))
            let fresh = try await Self.form(page, receiver.url, browser)
            let on = fresh.merging(["enabled": "yes", "events": "secret.*", "before.enabled": "no"]) { $1 }
            #expect(try await browser.post(page, on).status == 303)
            let enabled: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            #expect(enabled.state == "active" && enabled.events == ["secret.*"])
            let wrong = try await browser.post(
                page,
                try await Self.form(page, receiver.url, browser).merging([
                    "url": "ftp://a", "before.events": "secret.*",
                ]) { $1 })
            #expect(wrong.status == 422 && wrong.text.contains("value=\"ftp://a\""), "\(wrong.text)")
        }
    }

    /// What the form of an enabled webhook for groups would send, were it sent as it is.
    private static func form(
        _ page: String, _ url: String, _ browser: ConsoleBrowser
    ) async throws -> [String: String] {
        let text = try await browser.get(page).text
        let tag = try #require(text.firstMatch(of: /name="base" value="([^"]+)"/))
        return [
            "base": String(tag.1).replacing("&quot;", with: "\""), "before.url": url, "before.events": "group.*",
            "before.enabled": "yes", "url": url, "events": "group.*", "enabled": "yes",
        ]
    }

    @Test("who may not look at webhooks is not led to them; who may only look changes nothing")
    func readers() async throws {
        try await Self.with { (server, admin, _, receiver) async throws in
            try await Self.add("tickets", receiver.url, admin)
            for (role, sees) in [(AdminMessages.AdministratorRole.reader, false), (.auditor, true)] {
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn(as: role, admin)
                    #expect(
                        try await browser.get("/console").text.contains("href=\"\(Self.page)\"") == sees, "\(role)")
                    for page in [Self.page, Self.page + "/tickets"] {
                        let answer = try await browser.get(page)
                        let main = answer.text.components(separatedBy: "<main").last ?? ""
                        #expect(answer.status == (sees ? 200 : 403) && !main.contains("method=\"post\""), "\(page)")
                        #expect(answer.text.contains("tickets") == sees)
                    }
                    for (place, form) in [
                        ("", ["name": "b", "url": receiver.url, "events": "*"]), ("/tickets/test", [:]),
                        ("/tickets/deliveries", ["entry": "1"]), ("/tickets/secret", [:]), ("/tickets/remove", [:]),
                        ("/tickets", ["url": receiver.url, "events": "*", "enabled": "no"]),
                    ] {
                        let refused = try await browser.post(Self.page + place, form)
                        #expect(refused.status == 403 && !refused.text.contains("whsec_"), "\(role): \(place)")
                    }
                }
            }
            let webhooks: AdminMessages.Page<AdminMessages.Webhook> = try await admin.get("/webhooks")
            #expect(webhooks.items.map(\.events) == [["group.*"]] && webhooks.items[0].state == "active")
            #expect(receiver.events.isEmpty)
        }
    }
}
