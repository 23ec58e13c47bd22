import AdminMessages

/// What was sent to a webhook, and what is to be sent once more.
enum WebhookDeliveries {
    static let routes = [
        ConsoleRoute(.post, "/webhooks/{webhook}/deliveries", serve: redeliver),
        ConsoleRoute(.post, "/webhooks/{webhook}/test", serve: test),
    ]

    /// They stand on the webhook's page.
    static func html(_ call: ConsoleCall) async throws -> HTML {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let path = WebhookPage.path(call)
        let page: Page<WebhookDelivery> = try await call.door.get(
            RequestPath.text(path + ["deliveries"], query: query))
        return """
            \(table(page.items, call))\(Pager.html(next: page.next, in: path, call))
            \(call.may(.manage) ? orders(call) : nil)
            """
    }

    private static func table(_ deliveries: [WebhookDelivery], _ call: ConsoleCall) -> HTML {
        guard !deliveries.isEmpty else { return "<p>Nothing was sent to it lately.</p>" }
        let now = call.request.now
        return Table(
            caption: "Deliveries, newest first",
            columns: ["Number", "What", "State", "Attempts", "Last attempt", "Outcome", "Change"],
            rows: deliveries.map { delivery in
                [
                    "\(delivery.number)", what(delivery), state(delivery).html, "\(delivery.attempts)",
                    delivery.attempted.map { Moment.html($0, now: now) } ?? "<span class=\"muted\">none yet</span>",
                    "\(delivery.problem ?? (delivery.state == "delivered" ? "it was taken" : ""))",
                    call.may(.manage) ? repetition(delivery, call) : "",
                ]
            }
        ).html
    }

    private static func what(_ delivery: WebhookDelivery) -> HTML {
        let entry = delivery.sequence.map { "entry \($0)" } ?? delivery.feedback.map { "feedback \($0)" } ?? ""
        return switch delivery.kind {
        case "event": "\(entry)"
        case "redelivery": "\(entry), once more"
        case "test": "a test"
        default: "\(delivery.kind) \(entry)"
        }
    }

    private static func state(_ delivery: WebhookDelivery) -> Badge {
        switch delivery.state {
        case "delivered": Badge(.good, "Delivered")
        case "failed": Badge(.bad, "Failed")
        default: Badge(.busy, "Waiting")
        }
    }

    private static func repetition(_ delivery: WebhookDelivery, _ call: ConsoleCall) -> HTML {
        guard let sequence = delivery.sequence else { return "" }
        return call.form(
            to: ConsolePath.text(WebhookPage.path(call) + ["deliveries"]),
            """
            <input type="hidden" name="entry" value="\(sequence)">\
            <button class="plain">Once more<span class="unseen">: entry \(sequence), as delivery \(delivery.number)</span></button>
            """)
    }

    private static func orders(_ call: ConsoleCall) -> HTML {
        let entry = Field(
            "entry", "Entry of the activity", value: call.request.form["entry"] ?? "",
            hint: "Its number. It has the identifier that it had before, by which a receiver knows what it has seen.",
            isRequired: true)
        return call.form(
            to: ConsolePath.text(WebhookPage.path(call) + ["deliveries"]),
            "\(entry.line)<button class=\"plain\">Send it once more</button>")
    }

    /// A button that has a test sent, for who may.
    static func testing(_ call: ConsoleCall) -> HTML {
        guard call.may(.manage) else { return .empty }
        return call.form(
            to: ConsolePath.text(WebhookPage.path(call) + ["test"]), "<button class=\"plain\">Send a test</button>")
    }

    private static func redeliver(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        // What is no number names no entry, as the API will say.
        let wish = RedeliveryRequest(sequence: call.request.form["entry"].flatMap { Int($0) } ?? 0)
        return try await order(["deliveries"], wish, call)
    }

    private static func test(_ call: ConsoleCall) async throws -> ConsoleAnswer { try await order(["test"], nil, call) }

    private static func order(
        _ place: [String], _ wish: (any Encodable)?, _ call: ConsoleCall
    ) async throws -> ConsoleAnswer {
        do {
            try await call.door.send("POST", RequestPath.text(WebhookPage.path(call) + place), wish)
            return .seeOther(WebhookPage.path(call), .onItsWay)
        } catch let refusal as AdminRefused where [400, 404, 409, 422].contains(refusal.status) {
            return try await WebhookPage.show(call, refusal: refusal)
        }
    }
}
