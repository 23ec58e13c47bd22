import AdminMessages

/// The webhooks: how they fare, and a new one, whose secret is shown once.
enum WebhooksPage {
    static let routes =
        [
            ConsoleRoute(.get, "/webhooks", serve: { call in try await list(call) }),
            ConsoleRoute(.post, "/webhooks", serve: add),
        ] + WebhookPage.routes

    static let path = ["webhooks"]
    static let trail = [Shell.Step("Webhooks", path)]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<Webhook> = try await call.door.get(RequestPath.text(path, query: query))
        return call.page(
            "Webhooks", in: .webhooks, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            <p>Addresses of other systems to which the server sends each entry of the activity, without any values. A webhook \
            that asks for the feedback of apps gets it with its values.</p>
            \(table(page.items, call))\(Pager.html(next: page.next, in: path, call))
            \(call.may(.manage) ? Panel.html("New webhook", call.form(to: ConsolePath.text(path), fields(call))) : nil)
            """)
    }

    private static func table(_ webhooks: [Webhook], _ call: ConsoleCall) -> HTML {
        guard !webhooks.isEmpty else {
            return EmptyState.html("No webhooks", "A webhook tells a ticket system or a chat of each change at once.")
        }
        return Table(
            caption: "Webhooks", columns: ["Name", "State", "Events", "Last delivered", "Waiting", "Trouble"],
            rows: webhooks.map { webhook in
                [
                    Link.html(webhook.name, path + [webhook.name]), state(webhook),
                    Code.html(webhook.events.joined(separator: " ")), delivered(webhook, call), waiting(webhook),
                    "\(webhook.problem ?? "")",
                ]
            }
        ).html
    }

    static func state(_ webhook: Webhook) -> HTML {
        let reason: HTML? = webhook.reason.map { reason in
            switch reason {
            case "by-administrator": "by an administrator"
            case "gone": "its receiver wants nothing more"
            case "failed-for-days": "nothing was taken for days"
            case Webhook.secretForgotten: "its secret was lost with the master key: make a new secret, which enables it"
            default: "\(reason)"
            }
        }
        return switch webhook.state {
        case "active": Badge(.good, "Active").html
        case "failing": Badge(.bad, "Failing").html
        default: "\(Badge(.warn, "Disabled").html) \(reason)"
        }
    }

    static func delivered(_ webhook: Webhook, _ call: ConsoleCall) -> HTML {
        webhook.lastDelivered.map { Moment.html($0, now: call.request.now) } ?? "<span class=\"muted\">never</span>"
    }

    static func waiting(_ webhook: Webhook) -> HTML {
        webhook.waiting.isMore ? "more than \(webhook.waiting.count)" : "\(webhook.waiting.count)"
    }

    // MARK: A new one

    private static func fields(_ call: ConsoleCall) -> HTML {
        let form = call.request.form
        let name = Field(
            "name", "Name", value: form["name"] ?? "", hint: "1 to 64 letters, digits, dots, underscores and hyphens.",
            isRequired: true)
        return """
            \(name.line)\(place(form))<button>Add a webhook</button>
            """
    }

    private static func place(_ form: Form) -> HTML {
        WebhookForm.place(form["url"] ?? "", form["events"] ?? "*", feedback: form["feedback"] ?? "")
    }

    private static func add(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let wish = WebhookRequest(
            name: form["name"] ?? "", url: form["url"] ?? "",
            events: WebhookForm.events(form["events"] ?? "", feedback: form["feedback"] ?? ""))
        do {
            let answer = try await call.door.send("POST", RequestPath.text(path), wish)
            return shown(call, try AdminJSON.decode(WebhookAnswer.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
            return try await list(call, refusal: refusal)
        }
    }

    /// The one time that a secret is shown.
    static func shown(_ call: ConsoleCall, _ answer: WebhookAnswer) -> ConsoleAnswer {
        let webhook = answer.webhook
        let before: HTML? = webhook.previousSecretEnds.map {
            "<p>Until \(Moment.exact($0)) events are signed with the secret before, too.</p>"
        }
        return call.page(
            "The secret of \(webhook.name)", in: .webhooks,
            trail: trail + [Shell.Step(webhook.name, path + [webhook.name])],
            """
            <p>It is shown only once. The receiver checks by it that an event came from here.</p>\(before)
            <section class="panel">\(Code.copied(answer.secret, what: "the secret"))</section>
            <p>\(Link.html("To the webhook", path + [webhook.name]))</p>
            """)
    }
}
