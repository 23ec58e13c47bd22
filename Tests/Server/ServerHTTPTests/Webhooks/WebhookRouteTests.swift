import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management
import TestLog
import Testing
import Waiting
import Webhooks

/// Webhooks and jobs over the administrator's API, with the server's own sender and a receiver.
@Suite struct WebhookRouteTests {
    private func add(
        _ admin: AdminClient, _ url: String, _ events: String...
    ) async throws -> AdminMessages.WebhookAnswer {
        let answer = try await admin.send(
            "POST", "/webhooks", AdminMessages.WebhookRequest(name: "tickets", url: url, events: events))
        try #require(answer.status == 201, "\(answer.text)")
        return try AdminJSON.decode(AdminMessages.WebhookAnswer.self, from: answer.body)
    }

    /// Waits until the webhook is as `holds` says.
    private func webhook(
        _ admin: AdminClient, _ holds: (AdminMessages.Webhook) -> Bool
    ) async throws -> AdminMessages.Webhook {
        var last: AdminMessages.Webhook?
        return try await eventually("the webhook as it is meant, not as \(last.map { "\($0)" } ?? "nothing")") {
            () async throws -> AdminMessages.Webhook? in
            let webhook: AdminMessages.Webhook = try await admin.get("/webhooks/tickets")
            last = webhook
            return holds(webhook) ? webhook : nil
        }
    }

    @Test func aChangeIsToldToAReceiverThatAnswersAndSeenInTheAPI() async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await WebhookReceiver.run { (receiver) async throws in
                    let made = try await add(admin, receiver.url, "group.*")
                    #expect(made.secret.hasPrefix("whsec_") && made.webhook.state == "active")
                    for name in ["a", "b", "c"] {
                        _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: name))
                    }
                    let events = try await receiver.events(3)
                    let subjects = events.map { String(decoding: $0.body, as: UTF8.self) }
                    for (text, name) in zip(subjects, ["a", "b", "c"]) {
                        #expect(text.contains("\"subject\":\"\(name)\"") && text.contains("\"group.create\""))
                        #expect(!text.contains(made.secret))
                    }
                    let shown = try await webhook(admin) { $0.waiting.count == 0 }
                    #expect(shown.waiting.count == 0 && shown.lastDelivered != nil && shown.problem == nil)
                    let list = try await admin.send("GET", "/webhooks")
                    #expect(!list.text.contains(made.secret))
                    let page: AdminMessages.Page<AdminMessages.WebhookDelivery> = try await admin.get(
                        "/webhooks/tickets/deliveries?limit=2")
                    #expect(page.items.map(\.state) == ["delivered", "delivered"] && page.next != nil)
                    #expect(!server.log.all.contains { $0.contains(made.secret) })
                }
            }
        }
    }

    /// PyPI's `standardwebhooks` takes what is sent, signed with one secret and with two, and refuses what was altered.
    @Test(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's standardwebhooks is not installed: make setup does so"))
    func anotherImplementationTakesTheSignatures() async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await WebhookReceiver.run { (receiver) async throws in
                    let first = try await add(admin, receiver.url, "group.*")
                    _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "a"))
                    let one = try #require(try await receiver.events(1).last)
                    let rotated = try await admin.send("POST", "/webhooks/tickets/secret", WebhookRotationRequest())
                    let second = try AdminJSON.decode(AdminMessages.WebhookAnswer.self, from: rotated.body)
                    _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "b"))
                    let two = try #require(try await receiver.events(2).last)
                    for (event, secret, isGenuine) in [
                        (one, first.secret, true), (one, second.secret, false), (two, first.secret, true),
                        (two, second.secret, true),
                    ] {
                        #expect(try await verify(event, secret) == isGenuine)
                    }
                    let altered = WebhookReceiver.Event(
                        path: "/", headers: one.headers, body: one.body + Data(" ".utf8))
                    #expect(try await verify(altered, first.secret) == false)
                }
            }
        }
    }

    private func verify(_ event: WebhookReceiver.Event, _ secret: String) async throws -> Bool {
        let fields: [String: String] = [
            "secret": secret, "body": event.body.base64EncodedString(), "id": event.headers["webhook-id"] ?? "",
            "timestamp": event.headers["webhook-timestamp"] ?? "",
            "signature": event.headers["webhook-signature"] ?? "",
        ]
        var result: (status: Int32, output: String) = (-1, "")
        try await ForeignProgram.inFolder { folder in
            let file = folder.appending(path: "event.json")
            try JSONEncoder().encode(fields).write(to: file)
            result = try await ForeignProgram.run(
                ForeignProgram.python, [ForeignProgram.script("verify-webhook.py"), file.path], in: folder)
        }
        #expect(result.output.contains("genuine") || result.output.contains("refused"), "\(result.output)")
        return result.status == 0
    }

    @Test func aFailingReceiverIsSeenAndHoldsUpNobody() async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await WebhookReceiver.run(
                    answer: { _, _ in Response(status: .internalServerError) },
                    { (receiver) async throws in
                        _ = try await add(admin, receiver.url, "*")
                        for name in ["a", "b"] {
                            #expect(
                                try await admin.send("POST", "/groups", AdminMessages.Group(name: name)).status == 201)
                        }
                        _ = try await receiver.events(1)
                        let failing = try await webhook(admin) { $0.state == "failing" }
                        #expect(failing.state == "failing" && failing.problem == "it answered 500")
                        #expect(failing.nextAttempt != nil && failing.waiting.count == 2)
                        let health: Health = try await admin.get("/health")
                        #expect(health.webhooks == WebhookCounts(active: 0, failing: 1, disabled: 0))
                        let off = WebhookChange(url: receiver.url, events: ["*"], enabled: false)
                        #expect(try await admin.send("PUT", "/webhooks/tickets", off).status == 200)
                        let disabled = try await webhook(admin) { $0.state == "disabled" }
                        #expect(disabled.nextAttempt == nil)
                    })
            }
        }
    }

    @Test func aTestAndARedeliveryAreSentAlsoToADisabledWebhook() async throws {
        try await TestServer.run(webhooks: .loopback) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await WebhookReceiver.run { (receiver) async throws in
                    _ = try await add(admin, receiver.url, "group.*")
                    let off = WebhookChange(url: receiver.url, events: ["group.*"], enabled: false)
                    #expect(try await admin.send("PUT", "/webhooks/tickets", off).status == 200)
                    _ = try await admin.send("POST", "/groups", AdminMessages.Group(name: "a"))
                    let test = try await admin.send("POST", "/webhooks/tickets/test")
                    #expect(test.status == 202)
                    let again = try await admin.send(
                        "POST", "/webhooks/tickets/deliveries", RedeliveryRequest(sequence: 1))
                    #expect(again.status == 202)
                    let bodies = try await receiver.events(2).map { String(decoding: $0.body, as: UTF8.self) }
                    #expect(bodies[0].contains("webhook.test") && bodies[1].contains("\"sequence\":1"))
                    let on = WebhookChange(url: receiver.url, events: ["group.*"], enabled: true)
                    #expect(try await admin.send("PUT", "/webhooks/tickets", on).status == 200)
                    let last = try #require(try await receiver.events(3).last)
                    #expect(String(decoding: last.body, as: UTF8.self).contains("\"subject\":\"a\""))
                }
            }
        }
    }

    @Test func whatTheOperatorDoesNotNameIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for url in ["https://127.0.0.1/", "http://example.com/", "https://169.254.169.254/", "file:///etc"] {
                    let wish = AdminMessages.WebhookRequest(name: "w", url: url, events: ["*"])
                    #expect(try await admin.send("POST", "/webhooks", wish).status == 422, "\(url)")
                }
            }
        }
    }

    @Test func aVerificationIsAJobWhoseAddressIsTold() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let started = try await admin.send("POST", "/audit/verification")
                #expect(started.status == 202)
                let place = try #require(started.headers["location"])
                #expect(place.hasPrefix("/api/v1/jobs/"))
                let job = try await admin.ended(String(place.dropFirst("/api/v1".count)))
                let found = try AdminJSON.decode(AuditVerification.self, from: AdminJSON.encode(#require(job.result)))
                #expect(job.state == "done" && found.intact && found.entries > 0)
                #expect(try await admin.send("DELETE", "/jobs/\(job.id)").status == 204)
                #expect(try await admin.get("/jobs/\(job.id)", AdminMessages.Job.self).state == "done")
            }
        }
    }
}
